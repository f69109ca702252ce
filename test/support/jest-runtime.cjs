/**
 * The runtime of Jest's `runtime` option: Node itself imports the test files, so the files of one worker share all
 * modules. Jest's own runtime would load the whole portal again for each file.
 */
const hooks = require('node:async_hooks');
const { findSourceMap } = require('node:module');
const { pathToFileURL } = require('node:url');

/** The runtime of the process, for all its files. */
let prepared;

async function prepare() {
  await import('../../scripts/typescript.mjs');
  await import('../../src/platform/logging/engine-warning.ts');
  // Prints its warning now, to the console that was just prepared for it.
  await import('oidc-provider');
}

/** The maps that Node has read, as Jest asks for them: the address of a map by the address of a file. */
class SourceMaps {
  #addresses = new Map();

  get(file) {
    if (!this.#addresses.has(file)) {
      const map = findSourceMap(file);
      const address = map && `data:application/json,${encodeURIComponent(JSON.stringify(map.payload))}`;
      this.#addresses.set(file, address);
    }
    return this.#addresses.get(file);
  }

  *[Symbol.iterator]() {
    for (const [file, address] of this.#addresses) if (address) yield [file, address];
  }
}

const sourceMaps = new SourceMaps();
const stateOfTests = ['JEST_STATE_SYMBOL', 'EVENT_HANDLERS'];

const { AsyncLocalStorage } = hooks;

module.exports = class NativeRuntime {
  /** Of Jest's modules for this file. */
  #storages = [];

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    prepared ??= prepare();
    await prepared;
    return import(pathToFileURL(path).href);
  }

  requireModule(path) {
    return require(path);
  }

  /**
   * Modules of Jest: each file gets a new instance, since the tests that a file declares are the state of that module.
   * Jest keeps an `AsyncLocalStorage` in it and has no way to give it up, so the class is replaced while it loads: see
   * `teardown`. This can go with Node 22, as a storage costs nothing from Node 24 on.
   */
  requireInternalModule(path) {
    delete require.cache[path];
    const storages = this.#storages;
    hooks.AsyncLocalStorage = class extends AsyncLocalStorage {
      constructor(...options) {
        super(...options);
        storages.push(this);
      }
    };
    try {
      return require(path);
    } finally {
      hooks.AsyncLocalStorage = AsyncLocalStorage;
    }
  }

  teardown() {
    // Before Node 24 each storage that was ever used writes to each promise of the process: those of 74 files took a
    // third of the CPU.
    for (const storage of this.#storages) storage.disable();
    for (const key of Object.getOwnPropertySymbols(globalThis)) {
      if (stateOfTests.includes(key.description)) delete globalThis[key];
    }
  }

  getSourceMaps() {
    return sourceMaps;
  }

  getAllCoverageInfoCopy() {}
  setGlobalsForRuntime() {}
  enterTestCode() {}
  leaveTestCode() {}
};
