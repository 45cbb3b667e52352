(() => {
  "use strict";
  const find = (id) => document.getElementById(id);
  const search = find("search"), found = find("found"), menu = find("menu"), fold = find("fold");
  const links = [...find("contents").querySelectorAll("a")];
  const pages = new Map(links.map((link) => [link, find(link.hash.slice(1))]));
  for (const part of [menu, fold, find("search-box")]) part.hidden = false;
  document.documentElement.classList.remove("no-script");

  let texts = null;
  const filter = () => {
    texts ??= new Map(links.map((link) => [link, pages.get(link).textContent.toLowerCase()]));
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const link of links) {
      const isShown = words.every((word) => texts.get(link).includes(word));
      link.parentElement.hidden = !isShown;
      count += isShown;
    }
    for (const list of find("contents").querySelectorAll("ul")) {
      const isEmpty = [...list.children].every((item) => item.hidden);
      list.hidden = list.previousElementSibling.hidden = isEmpty;
    }
    found.textContent = words.length ? `${count} of ${links.length} found` : "";
  };
  search.addEventListener("input", filter);

  const setMenu = (isOpen) => {
    document.body.classList.toggle("open", isOpen);
    menu.setAttribute("aria-expanded", String(isOpen));
  };
  menu.addEventListener("click", () => setMenu(menu.getAttribute("aria-expanded") !== "true"));
  find("contents").addEventListener("click", (event) => event.target.closest("a") && setMenu(false));

  const folded = () => [...document.querySelectorAll("main details")];
  const setFolds = (isOpen) => {
    for (const part of folded()) part.open = isOpen;
    fold.setAttribute("aria-pressed", String(isOpen));
  };
  fold.addEventListener("click", () => setFolds(fold.getAttribute("aria-pressed") !== "true"));

  const reveal = () => {
    let id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch { /* not encoded */ }
    const target = id && find(id);
    if (!target) return;
    for (let part = target.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  document.querySelector("main").addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link && link.hash === location.hash) reveal();
  });
  reveal();

  const step = (event, by) => {
    const shown = links.filter((link) => !link.parentElement.hidden);
    const index = shown.indexOf(document.activeElement);
    const next = index + by < 0 ? search : shown[Math.min(index + by, shown.length - 1)];
    if (next) { event.preventDefault(); next.focus(); }
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const active = document.activeElement, isTyping = active === search, isListed = links.includes(active);
    if (event.key === "/" && !isTyping) {
      event.preventDefault();
      if (menu.offsetParent) setMenu(true);
      search.focus();
      search.select();
    } else if (event.key === "Escape") {
      if (isTyping && search.value) { search.value = ""; filter(); event.preventDefault(); }
      else if (document.body.classList.contains("open")) { setMenu(false); menu.focus(); }
    } else if (event.key === "ArrowDown" && (isTyping || isListed)) step(event, 1);
    else if (event.key === "ArrowUp" && isListed) step(event, -1);
    else if (event.key === "Enter" && isTyping) {
      const first = links.find((link) => !link.parentElement.hidden);
      if (first) { first.click(); pages.get(first).querySelector("a").focus({ preventScroll: true }); }
    }
  });

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = folded().filter((part) => !part.open);
    for (const part of closed) part.open = true;
  });
  addEventListener("afterprint", () => { for (const part of closed) part.open = false; });

  const sidebar = find("sidebar"), visible = new Set();
  const showCurrent = () => {
    const current = links.find((link) => visible.has(pages.get(link)));
    for (const link of links) {
      if (link === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    if (!current || sidebar.matches(":focus-within")) return;
    const { top, bottom } = current.getBoundingClientRect(), frame = sidebar.getBoundingClientRect();
    if (top < frame.top + 120 || bottom > frame.bottom) sidebar.scrollTop += top - frame.top - frame.height / 2;
  };
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (entry.isIntersecting) visible.add(entry.target);
      else visible.delete(entry.target);
    }
    showCurrent();
  }, { rootMargin: "-80px 0px -60% 0px" });
  for (const page of pages.values()) observer.observe(page);
})();
