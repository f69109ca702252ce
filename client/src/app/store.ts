import { configureStore } from '@reduxjs/toolkit';
import { setupListeners } from '@reduxjs/toolkit/query';
import { api, type Effects } from '../api/base.js';

/** All state of the application is what the server said: the one slice is RTK Query's cache. */
export function createStore(effects: Effects) {
  const store = configureStore({
    reducer: { [api.reducerPath]: api.reducer },
    middleware: (defaults) => defaults({ thunk: { extraArgument: effects } }).concat(api.middleware),
  });
  // Data may be stale when the window gets the focus again.
  setupListeners(store.dispatch);
  return store;
}
