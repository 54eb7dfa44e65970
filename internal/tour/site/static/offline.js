// The tour without a network: a service worker that keeps the files of the tour, and gives them to the page
// where the server does not answer. What the server has is newer and comes first.
"use strict";
const kept = "gridstride-tour";
const files = ["the files of the tour"]; // Assemble puts their names here

self.addEventListener("install", (e) => {
  self.skipWaiting();
  e.waitUntil(caches.open(kept).then((cache) => cache.addAll(files)));
});

self.addEventListener("activate", (e) => e.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (e) => {
  if (e.request.method === "GET" && new URL(e.request.url).origin === location.origin) e.respondWith(answer(e));
});

async function answer(e) {
  const cache = await caches.open(kept);
  try {
    const response = await fetch(e.request);
    if (response.ok) {
      const copy = response.clone();
      e.waitUntil(cache.put(e.request, copy).catch(() => {})); // the disk may be full
    }
    return response;
  } catch (why) {
    const { pathname } = new URL(e.request.url);
    const old = await cache.match(pathname.endsWith("/") ? pathname + "index.html" : e.request, { ignoreSearch: true });
    if (old) return old;
    throw why;
  }
}
