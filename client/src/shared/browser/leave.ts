let leaving = false;

// A page that comes back from the browser's memory shows what was true before it was left.
window.addEventListener('pageshow', (event) => {
  if (event.persisted && leaving) window.location.reload();
});

/**
 * Leaves the application for an address of the server, once: the callback of an authorization is good for one request,
 * and a second navigation would cancel the first after it has used the callback up. Back does not lead here again,
 * unless the page is kept.
 */
export function leave(to: string, keep = false): void {
  if (leaving) return;
  leaving = true;
  if (keep) window.location.assign(to);
  else window.location.replace(to);
}
