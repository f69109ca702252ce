/**
 * Builds the server into a few files, with the packages that it loads at the start: Node spends most of a start on
 * finding, reading and linking modules, one by one (decision 0053). `nest build` compiles them first (`nest-cli.json`).
 */
import { cp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { changedByBundling } from './bundle-server/sloppy-code.mjs';
import { CommandFailed, run } from './prepare.mjs';

/** Relative to the clone, in which this process runs. */
const outputDir = 'dist/src';
const compiledDir = 'dist/compiled';

/** Entries, by their path in the output. The last is for the demo. */
const input = {
  main: `${compiledDir}/src/main.js`,
  'portal-node': `${compiledDir}/src/portal-node.js`,
  cli: `${compiledDir}/src/cli.js`,
  'cli.run': `${compiledDir}/src/cli.run.js`,
  'platform/database/embedded-postgres': `${compiledDir}/src/platform/database/embedded-postgres.js`,
};

const entries = new Set(Object.values(input).map((path) => resolve(path)));

/** Packages that Node loads from node_modules. */
const external = [
  // Native, or found at run time by name: `pg` is typeorm's driver, too.
  /^@node-rs\/argon2$/,
  /^@embedded-postgres\//,
  /^pg$/,
  // Its default build hides its own files from bundlers.
  /^jsonc-parser$/,
  // Their errors need sloppy code (`bundle-server/sloppy-code.mjs`): in the bundle each failure of another provider
  // would be a TypeError.
  /^passport(-openidconnect)?$/,
  // Loaded when they are needed, by a few nodes only.
  /^(fhirpath|nodemailer|sanitize-html)$/,
  // The interface of OpenTelemetry is also a part of prom-client.
  /^@opentelemetry\/(?!api$)/,
  // Parts of Nest that are not installed.
  /^@nestjs\/(microservices|websockets)/,
];

/**
 * Packages with a file of their own. V8 takes seven times the size of a file to parse it, and what the largest one took
 * stays with the process: glibc gives back only what is free at the end of its memory.
 */
const largePackages = [
  ['typeorm'],
  ['undici'],
  ['class-validator', 'class-transformer', 'validator'],
  ['rxjs'],
  ['oidc-provider', 'koa'],
  ['@nestjs', 'express'],
];

/**
 * Folders of `src` with a file of their own, for the same reason, in the direction of use. The rest is in
 * `gatehouse.js`.
 */
const ownParts = ['contract', 'platform'];

/**
 * Files that the bundle changes in a part that Gatehouse does not use, with the reason. All others stay in
 * node_modules.
 */
const reviewed = {
  'bintrees/lib/bintree.js': 'prom-client uses the red-black tree of the package only',
  'express/lib/view.js': 'no page is rendered by a view engine',
  'pino/lib/transport.js': 'the log is written by the process itself, without a transport',
  'reflect-metadata/Reflect.js': 'asks for globalThis first',
  'thread-stream/index.js': 'the log is written by the process itself, without a thread',
  'typeorm/connection/ConnectionOptionsReader.js': 'the connection is configured by code',
  'typeorm/platform/PlatformTools.js': 'the driver is given to it',
  'typeorm/util/ImportUtils.js': 'entities and migrations are given as classes',
  'undici/index.js': 'asks whether there is a __filename',
};

const ownRequire = /const require = createRequire\(import\.meta\.url\);/;
const { resolve: resolved } = createRequire(import.meta.url);

function isInstalled(name) {
  try {
    return resolved(name) !== '';
  } catch {
    return false;
  }
}

/** The compiled code with the maps to its sources. */
const compiled = {
  name: 'compiled',
  load: {
    filter: { id: /\/dist\/compiled\/.*\.js$/ },
    handler: async (file) => ({
      code: await readFile(file, 'utf8'),
      map: JSON.parse(await readFile(`${file}.map`, 'utf8')),
    }),
  },
};

/**
 * Modules of Nest require packages by a function of their own, which bundlers do not follow: each of these packages
 * would be loaded a second time, from node_modules, with a second instance of everything that it keeps.
 */
const requiredByNest = {
  name: 'required by nest',
  transform: {
    filter: { id: /\/node_modules\/@nestjs\/.*\.js$/, code: ownRequire },
    handler(code) {
      const names = [...new Set([...code.matchAll(/\brequire\('([^']+)'\)/g)].map(([, name]) => name))].filter(
        isInstalled,
      );
      const imports = names.map((name, index) => `import * as required${index} from '${name}';`).join('');
      const table = names.map((name, index) => `'${name}': required${index}`).join(', ');
      const found = `{ if (!Object.hasOwn(required, name)) throw new Error(name + ' is not bundled'); return required[name]; }`;
      const own = `${imports}const required = { ${table} };const require = (name) => ${found}`;
      return { code: code.replace(ownRequire, () => own), moduleType: 'js' };
    },
  },
};

/**
 * The parts of its packages that Gatehouse never uses: other databases, telephone numbers, uploads. Each of these
 * modules is replaced by one that exports the same names and fails at use: they take a quarter of the text that V8
 * keeps.
 */
const unused = {
  name: 'unused',
  load: {
    filter: {
      id: /\/node_modules\/(typeorm\/driver\/(?!postgres\/|types\/)[^/]+\/|libphonenumber-js\/max|multer\/index)[^?]*\.c?js$/,
    },
    async handler(file) {
      const names = [...(await readFile(file, 'utf8')).matchAll(/\bexports\.(\w+) = /g)].map(([, name]) => name);
      const failing = (name) => `class ${name} { constructor() { throw new Error('${name} is not bundled'); } }`;
      const lines = [...new Set(names)].map((name) => `exports.${name} = ${failing(name)};`);
      return { code: `module.exports = ${failing('Unused')};\n${lines.join('\n')}`, moduleType: 'js' };
    },
  },
};

/** Finishes the files that are written. */
const finish = {
  name: 'finish',
  generateBundle(_, bundle) {
    for (const [name, chunk] of Object.entries(bundle)) {
      if (chunk.type !== 'chunk') continue;
      // V8 keeps a text with any other character in two bytes per character, for as long as the process lives.
      chunk.code = chunk.code.replace(/[\u0080-\uffff]/g, escaped);
      // With source maps enabled Node keeps each map that it finds in memory: only ours, and without the sources.
      const map = bundle[`${name}.map`];
      if (ownFiles.has(name)) {
        if (map) map.source = JSON.stringify({ ...JSON.parse(map.source), sourcesContent: undefined });
        continue;
      }
      chunk.code = chunk.code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
      delete bundle[`${name}.map`];
    }
  },
};
const ownFiles = new Set(['gatehouse', 'start', ...ownParts, ...Object.keys(input)].map((name) => `${name}.js`));

/** Fails for bundled code that would behave differently, and for a review of code that no longer needs one. */
async function refuseChangedCode(chunks) {
  const open = new Set(Object.keys(reviewed));
  const wrong = [];
  for (const id of new Set(chunks.flatMap(({ moduleIds = [] }) => moduleIds))) {
    const [, name] = /.*[\\/]node_modules[\\/](.+\.c?js)$/.exec(id) ?? [];
    if (!name) continue;
    const found = changedByBundling(await readFile(id, 'utf8'));
    if (found.length === 0) continue;
    const isReviewed = open.delete(name) || name in reviewed;
    if (!isReviewed) wrong.push(`${name} is changed by the bundle: ${found.join(', ')}`);
  }
  wrong.push(...[...open].map((name) => `${name} is not changed by the bundle, and needs no review.`));
  if (wrong.length > 0)
    throw new CommandFailed(`${wrong.join('\n')}\nSee reviewed and external in scripts/bundle-server.mjs.`);
}

/** The character as it is written in texts, templates and patterns; comments are gone. */
function escaped(character) {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

await run(process.execPath, ['node_modules/@nestjs/cli/bin/nest.js', 'build'], { quiet: true });
const bundle = await rolldown({
  input,
  external,
  platform: 'node',
  plugins: [compiled, requiredByNest, unused, finish],
  // depd's eval names a function; it uses no variable around it.
  checks: { eval: false },
});
const { output } = await bundle.write({
  dir: outputDir,
  format: 'esm',
  sourcemap: true,
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
  // Nest reports classes by name.
  keepNames: true,
  // Without comments and white space, but with all names: an error without a source map still names its function.
  minify: { compress: false, mangle: false, codegen: true },
  codeSplitting: {
    groups: [
      { name: 'packages', test: /[\\/]node_modules[\\/]/, tags: ['$initial'] },
      ...largePackages.map((names) => ({
        name: `packages-${names[0].replace('@', '')}`,
        test: new RegExp(`[\\\\/]node_modules[\\\\/](${names.join('|')})[\\\\/]`),
        tags: ['$initial'],
        priority: 1,
      })),
      // Code that runs before everything else is loaded: to use the compile cache, and to start the embedded PostgreSQL
      // or the workers.
      { name: 'first', test: /[\\/](compile-cache|product|engine-warning)\.js$/, priority: 2 },
      { name: 'start-packages', test: /[\\/]node_modules[\\/](pino|yaml|zod)[\\/]/, priority: 2 },
      { name: 'start', test: /[\\/]compiled[\\/]src[\\/](prerequisites|start)\.js$/, priority: 1 },
      ...ownParts.map((name, index) => ({
        name,
        test: new RegExp(`[\\\\/]compiled[\\\\/]src[\\\\/]${name}[\\\\/]`),
        tags: ['$initial'],
        priority: (ownParts.length - index) / 10,
      })),
      { name: 'gatehouse', test: (id) => !entries.has(id), tags: ['$initial'] },
    ],
  },
});
await bundle.close();
await refuseChangedCode(output);
await rm(compiledDir, { recursive: true });
await cp('src/platform/mail/templates', `${outputDir}/templates`, { recursive: true });
