"use strict";
// Answers as one types, reasons where they are asked for, and keys. Everything here is also there
// without it, as links and forms. Text comes from the server escaped; this adds none of its own as HTML.
(() => {
	const form = document.getElementById("search");
	const box = document.getElementById("q");
	const results = document.getElementById("results");
	const base = document.documentElement.dataset.base;

	// live search: the newest question wins, and an older answer is dropped.
	let timer, asking, shown = location.search;
	const parameters = () => {
		const p = new URLSearchParams();
		for (const [name, value] of new FormData(form)) if (value !== "") p.append(name, value);
		return p.toString();
	};
	const titled = () => {
		document.title = (box.value ? box.value + " · " : "") + document.querySelector(".name").textContent;
	};

	// the caret goes after the words that are there, also after a reload. A browser may focus the box
	// before this runs, after it, or when the page is shown.
	const toEnd = () => {
		if (box && document.activeElement === box) box.setSelectionRange(box.value.length, box.value.length);
	};
	toEnd();
	const untouched = new AbortController(); // a key or a click chooses its own place
	for (const deed of ["keydown", "pointerdown"]) addEventListener(deed, () => untouched.abort(), { once: true, capture: true });
	box?.addEventListener("focus", toEnd, { once: true, signal: untouched.signal });
	addEventListener("pageshow", toEnd, { signal: untouched.signal });
	const show = (text) => {
		const parsed = new DOMParser().parseFromString(text, "text/html");
		results.replaceChildren(...parsed.body.childNodes);
		results.removeAttribute("aria-busy");
		document.getElementById("said").textContent = results.querySelector(".status, .notice")?.textContent ?? "";
	};
	const search = async (p, remember, typed) => {
		asking?.abort();
		const mine = (asking = new AbortController());
		results.setAttribute("aria-busy", "true");
		try {
			const answer = await fetch(base + "/results?" + p + (typed ? "&typing=1" : ""), { signal: mine.signal });
			const text = await answer.text();
			if (mine !== asking) return;
			show(text);
			shown = p ? "?" + p : "";
			remember(base + (p ? "/?" + p : "/"));
			titled();
		} catch (e) {
			if (e.name === "AbortError" || mine !== asking) return;
			results.removeAttribute("aria-busy");
			const p = document.createElement("p");
			p.className = "notice";
			p.setAttribute("role", "alert");
			p.textContent = "The server does not answer. Try again in a moment.";
			results.replaceChildren(p);
		}
	};

	// history: what is typed in one go is one step back.
	let typing = false;
	const type = (address) => {
		if (address === location.pathname + location.search) return;
		if (typing) history.replaceState(null, "", address);
		else history.pushState(null, "", address);
		typing = true;
	};
	box?.addEventListener("input", () => {
		clearTimeout(timer);
		timer = setTimeout(() => search(parameters(), type, true), 70);
	});
	box?.addEventListener("blur", () => { typing = false; });
	addEventListener("popstate", () => {
		if (!box || location.search === shown) return; // a step to a part of the same page
		clearTimeout(timer);
		typing = false;
		const p = new URLSearchParams(location.search);
		box.value = p.get("q") ?? "";
		search(p.toString(), () => {});
	});

	// why: the reasons open below the answer.
	const why = async (link) => {
		const open = link.closest(".hit").querySelector(".reasons");
		if (open) {
			open.remove();
			link.removeAttribute("aria-expanded");
			return;
		}
		const answer = await fetch(link.href);
		const parsed = new DOMParser().parseFromString(await answer.text(), "text/html");
		const place = document.createElement("div");
		place.className = "reasons";
		place.append(...parsed.querySelector("#why, .notice").childNodes);
		link.closest(".hit").append(place);
		link.setAttribute("aria-expanded", "true");
	};
	results?.addEventListener("click", (e) => {
		const link = e.target.closest("a.why");
		if (!link || e.ctrlKey || e.metaKey || e.shiftKey) return;
		e.preventDefault();
		why(link).catch(() => location.assign(link.href));
	});

	// marks: the button comes into sight once there is one.
	results?.addEventListener("change", () => {
		const n = results.querySelectorAll("input[type=checkbox]:checked").length;
		const line = results.querySelector(".feedback");
		line?.classList.toggle("ready", n > 0);
		const said = line?.querySelector(".said");
		if (said) said.textContent = n === 0 ? "Mark answers as good, and look for more like them." : n + " marked as good";
	});

	// keys of the list of answers.
	const titles = () => [...document.querySelectorAll(".hit .title")];
	const go = (by) => {
		const list = titles();
		const hit = document.activeElement.closest?.(".hit");
		const at = list.findIndex((t) => t.closest(".hit") === hit);
		if (at + by < 0) (box ?? document.querySelector("header input")).focus();
		else list[Math.min(at + by, list.length - 1)]?.focus();
	};
	const keys = {
		"/": () => document.querySelector("header input[type=search]").select(),
		w: (hit) => hit?.querySelector(".why").click(),
		s: (hit) => (hit ?? document).querySelector(".similar")?.click(),
		m: (hit) => (hit ?? document).querySelector(".map")?.click(),
		g: (hit) => hit?.querySelector("input[type=checkbox]").click(),
	};
	document.addEventListener("keydown", (e) => {
		if (e.ctrlKey || e.metaKey || e.altKey) return;
		const here = document.activeElement;
		if (here.closest?.(".node")) return walk(e, here);
		const typing = here.matches?.("input[type=search]");
		if (e.key === "ArrowDown" || (e.key === "ArrowUp" && !typing)) {
			if (titles().length === 0 || (!typing && !here.closest?.(".hit"))) return;
			e.preventDefault();
			go(e.key === "ArrowDown" ? 1 : -1);
		} else if (!typing && keys[e.key]) {
			e.preventDefault();
			keys[e.key](here.closest?.(".hit"));
		}
	});

	// keys of the map: right and down go round clockwise, left and up the other way; Home is the
	// nearest. Enter follows the link, as everywhere.
	const walk = (e, here) => {
		const node = here.closest(".node");
		const next = () => document.getElementById(node.dataset.next);
		const before = () => document.querySelector(`.node:not(.middle)[data-next="${node.id}"]`) ?? next();
		const to = { ArrowRight: next, ArrowDown: next, ArrowLeft: before, ArrowUp: before, Home: () => document.getElementById("node1") }[e.key];
		if (to) {
			e.preventDefault();
			to().focus();
		} else if (e.key === "/") {
			e.preventDefault();
			keys["/"]();
		}
	};
})();
