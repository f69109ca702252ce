import { configureStore } from '@reduxjs/toolkit';
import { api, type Effects } from '../api/base.js';

/** All state of the application is what the server said: the one slice is RTK Query's cache. */
export function createStore(effects: Effects) {
  return configureStore({
    reducer: { [api.reducerPath]: api.reducer },
    middleware: (defaults) => defaults({ thunk: { extraArgument: effects } }).concat(api.middleware),
  });
}
