import { createDatabase } from '../support/database/database.js';
import { freePorts } from '../support/portal/portal.js';
import { PortalProcess } from '../support/portal/portal-process.js';

/** Packages that the build leaves in node_modules (scripts/bundle-server.mjs), with their own. */
const leftOut = /^(pg|postgres|jsonc-parser|@node-rs\/argon2|pino|xtend)/;
const atExit = `
  import { Module } from 'node:module';
  process.on('exit', () => {
    const packages = Object.keys(Module._cache).map((file) => /.*node_modules.((?:@[^/]+.)?[^/]+)/.exec(file)?.[1]);
    console.log('loaded from node_modules: ' + [...new Set(packages)].join(' '));
  });`;

it('a built node loads no package from node_modules that the build has bundled', async () => {
  const database = await createDatabase();
  try {
    const [port = 0] = await freePorts(1);
    const nodeArguments = ['--import', `data:text/javascript,${encodeURIComponent(atExit)}`];
    const node = await PortalProcess.start({ database: database.connection, port, nodeArguments });
    await node.end('SIGTERM');
    const [, packages = ''] = /loaded from node_modules: (.*)/.exec(node.output) ?? [];
    expect(packages.split(' ')).toContain('pg');
    expect(packages.split(' ').filter((name) => !leftOut.test(name))).toEqual([]);
  } finally {
    await database.drop();
  }
});
