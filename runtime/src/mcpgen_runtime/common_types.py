"""The names of a facade's `types` that are the same for every SDK."""

from __future__ import annotations

from . import uri_templates as uri_templates
from .arguments import Parameter as Parameter
from .arguments import RootArguments as RootArguments
from .content import Payload as Payload
from .core_schemas import ABSENT as ABSENT
from .core_schemas import ReadOnce as ReadOnce
from .errors import MissingValue as MissingValue
from .errors import ResultError as ResultError
from .errors import ToolCallError as ToolCallError
from .errors import ToolChangedError as ToolChangedError
from .errors import UnsupportedProtocol as UnsupportedProtocol
from .json_types import Base64 as Base64
from .json_types import Date as Date
from .json_types import DateTime as DateTime
from .json_types import JsonValue as JsonValue
from .json_types import NativeIpv4 as NativeIpv4
from .json_types import NativeIpv6 as NativeIpv6
from .json_types import Time as Time
from .json_types import Uuid as Uuid
from .models import ClosedObject as ClosedObject
from .models import JsonObject as JsonObject
from .models import OpenObject as OpenObject
from .models import RenamedOpenObject as RenamedOpenObject
from .models import SparseClosedObject as SparseClosedObject
from .models import SparseOpenObject as SparseOpenObject
from .models import to_json_value as to_json_value
from .prompts import PromptArgument as PromptArgument
from .prompts import PromptInfo as PromptInfo
from .prompts import present_arguments as present_arguments
from .resources import ResourceInfo as ResourceInfo
