import { storageKey } from '../addresses/base-path.js';

/** Between the tabs of one browser, which share a session: that a person has signed in or out. */
const name = storageKey('session');

export function tellSessionChanged(): void {
  const channel = new BroadcastChannel(name);
  channel.postMessage(null);
  channel.close();
}

/** Calls the listener when the session was changed in another tab. */
export function onSessionChanged(listener: () => void): () => void {
  const channel = new BroadcastChannel(name);
  channel.onmessage = listener;
  return () => channel.close();
}
