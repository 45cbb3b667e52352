from generated import Vessel
v = Vessel(register_no=1, name="a", length_m=3, draught_m=None)
v.register_no
