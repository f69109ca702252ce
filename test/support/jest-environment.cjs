const { mock } = require('node:test');

/**
 * The environment of Jest's `testEnvironment` option: the process itself. What a test file changes in it is undone
 * after the file.
 */
module.exports = class ProcessEnvironment {
  global = globalThis;
  #before = { exit: process.exit, env: { ...process.env }, folder: process.cwd() };

  getVmContext() {
    return null;
  }

  async setup() {}

  async teardown() {
    const { exit, env, folder } = this.#before;
    mock.reset();
    mock.timers.reset();
    process.exit = exit;
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    process.chdir(folder);
  }
};
