const { readdirSync } = require('node:fs');
const { join } = require('node:path');
const { FOUNDATIONS, linesOf, modulesOf } = require('./scripts/modules.cjs');

/** Import rules. `test/architecture/import-rules.test.ts` plants a violation of each rule. */

/** The names of the modules by line, as each `<name>.module.ts` says it. */
const LINES = linesOf(modulesOf(join(__dirname, 'src')));

/** The parts of the engine's adaptation, in the direction of use; the files above them put them together. */
const ENGINE_PARTS = [
  ['shared'],
  ['keys'],
  ['clients'],
  ['authorization'],
  ['tokens'],
  ['grants'],
  ['refusals', 'sessions', 'trials'],
];

/** Folders of tests that belong to no module, see `CONTRIBUTING.md`. */
const KINDS_OF_TESTS = [
  'architecture',
  'bench',
  'browser',
  'cli',
  'demo',
  'deploy',
  'failover',
  'faults',
  'hapi',
  'model',
  'peers',
  'support',
];

const any = (names) => `(?:${names.join('|')})`;
const MODULES = any(LINES.flat());
const TEST = '\\.test\\.tsx?$';
const CONTRACT = '^src/contract/';
/** The part of the contract that server and browser run. */
const SHARED_CODE = '^src/contract/(?:rules|messages|activity|audit)/';
const PLATFORM = '^src/platform/';
const MODULE = '[^/]+\\.module\\.ts$';
/** The adaptation of oidc-provider, and the vocabulary that its module publishes: tokens, launches, steps, paths. */
const ENGINE = '^src/oidc/engine/';
const PUBLISHED = '^src/oidc/domain/';
/** A module of storage only: its other layers would be empty, so use cases import its infrastructure. */
const STORE = '^src/oidc-store/infrastructure/';
const npm = (...names) => `node_modules/(?:@types/)?${any(names)}/`;

/** `$1` is the module of the importing file. */
const modules = [
  {
    name: 'module-has-its-line',
    comment: 'The comment of a `<name>.module.ts` says what the module is for, and its line in the direction of use.',
    from: { path: '^src/[^/]+/', pathNot: `^src/(?:${MODULES}|${any(FOUNDATIONS)})/` },
    to: {},
  },
  {
    name: 'module-has-four-layers',
    comment: 'Each file of a module is in one of its layers; beside them there is only the Nest module.',
    from: {
      path: `^src/${MODULES}/`,
      pathNot: [`^src/[^/]+/(?:(?:domain|application|infrastructure|http)/|${MODULE})`, ENGINE],
    },
    to: {},
  },
  // The last line has one module, which may use all others.
  ...LINES.slice(0, -1).map((line, index) => ({
    name: `direction-of-line-${index + 1}`,
    comment: 'Modules use each other in one direction.',
    from: { path: `^src/(${any(line)})/` },
    to: { path: `^src/${any(LINES.slice(index).flat())}/`, pathNot: '^src/$1/' },
  })),
  {
    name: 'domain',
    comment:
      'The domain imports itself, the contract, the errors and the checks of JSON; of Node, only randomness and streams.',
    from: { path: `^src/(${MODULES})/domain/`, pathNot: TEST },
    to: {
      pathNot: [
        '^src/$1/domain/',
        CONTRACT,
        '^src/platform/(?:errors|values/json)\\.ts$',
        '^(?:node:)?(?:crypto|stream)$',
      ],
    },
  },
  {
    name: 'application',
    comment: "A use case imports its own domain and other modules' use cases; of other domains, what oidc publishes.",
    from: { path: `^src/(${MODULES})/application/`, pathNot: TEST },
    to: {
      path: '^src/',
      pathNot: ['^src/$1/(?:domain|engine)/', `^src/${MODULES}/application/`, PUBLISHED, STORE, CONTRACT, PLATFORM],
    },
  },
  {
    name: 'engine',
    comment: "The engine's adaptation is below the use cases of its module.",
    from: { path: ENGINE, pathNot: TEST },
    to: {
      path: '^src/',
      pathNot: [ENGINE, PUBLISHED, `^src/(?!oidc/)${MODULES}/application/`, STORE, CONTRACT, PLATFORM],
    },
  },
  ...ENGINE_PARTS.map((parts, index) => ({
    name: `engine-direction-of-${parts[0]}`,
    comment: 'The parts of the engine use each other in one direction, and none uses the files that put them together.',
    from: { path: `${ENGINE}(${any(parts)})/` },
    to: { path: ENGINE, pathNot: [`${ENGINE}${any(ENGINE_PARTS.slice(0, index).flat())}/`, `${ENGINE}$1/`] },
  })),
  {
    name: 'infrastructure',
    comment: 'Infrastructure serves its own domain.',
    from: { path: `^src/(${MODULES})/infrastructure/`, pathNot: TEST },
    to: { path: '^src/', pathNot: ['^src/$1/(?:domain|infrastructure)/', CONTRACT, PLATFORM] },
  },
  {
    name: 'http',
    comment: 'A controller translates for its own use cases and decides nothing.',
    from: { path: `^src/(${MODULES})/http/`, pathNot: TEST },
    to: {
      path: '^src/',
      pathNot: ['^src/$1/(?:application|http)/', CONTRACT, '^src/platform/(?:http|language)/'],
    },
  },
  {
    name: 'module',
    comment: 'A Nest module wires its own folder, and imports the Nest modules of others.',
    from: { path: `^src/(${MODULES})/${MODULE}` },
    to: { path: '^src/', pathNot: ['^src/$1/', `^src/[^/]+/${MODULE}`, CONTRACT, PLATFORM] },
  },
  {
    name: 'database-behind-infrastructure',
    comment: 'Only infrastructure and the platform talk to the database.',
    from: { path: `^src/${MODULES}/(?:domain|application|engine|http)/` },
    to: { path: npm('typeorm', '@nestjs/typeorm', 'pg') },
  },
  {
    name: 'store-is-infrastructure',
    comment: 'oidc-store has no use cases and no rules.',
    from: { path: '^src/oidc-store/(?:domain|application|http)/' },
    to: {},
  },
  {
    name: 'statements-in-infrastructure',
    comment: 'What composes SQL is used by infrastructure; test/architecture looks for SQL itself.',
    from: { path: `^src/${MODULES}/(?:domain|application|http)/` },
    to: { path: '^src/platform/(?:database/paged-search|jobs/job-table)\\.ts$' },
  },
  {
    name: 'http-before-application',
    comment: 'A use case does not know that it was called over HTTP.',
    from: { path: `^src/${MODULES}/(?:domain|application|engine)/` },
    to: { path: npm('express', '@nestjs/platform-express') },
  },
  {
    name: 'gateway-server-below-access',
    comment: 'In the gateway, the exchange with the FHIR server does not know what is permitted.',
    from: { path: '^src/gateway/application/server/' },
    to: { path: '^src/gateway/application/', pathNot: '^src/gateway/application/server/' },
  },
  {
    name: 'gateway-folders-apart',
    comment:
      'Access, documents and audit of the gateway use the exchange with the server, not each other or the gateway.',
    from: { path: '^src/gateway/application/(access|documents|audit)/' },
    to: { path: '^src/gateway/application/', pathNot: '^src/gateway/application/(?:$1|server)/' },
  },
  {
    name: 'use-cases-without-http',
    comment: 'A use case knows the browser of a call (`Browser`), not its request, cookies or network address.',
    from: { path: `^src/${MODULES}/(?:domain|application)/` },
    to: {
      path: ['^src/platform/http/(?!(?:base-path|client-document|outbound|plain-page)\\.ts$)', '^(?:node:)?https?$'],
    },
  },
  {
    name: 'engine-in-one-folder',
    comment: 'Only src/oidc/engine imports oidc-provider.',
    from: { path: '^(?:src/(?!oidc/engine/)|migrations/|client/)' },
    to: { path: npm('oidc-provider') },
  },
];

const foundations = [
  {
    name: 'platform-imports-no-module',
    comment: 'The platform serves every module and imports none.',
    from: { path: PLATFORM },
    to: { path: '^src/', pathNot: [PLATFORM, CONTRACT] },
  },
  {
    name: 'nothing-imports-the-start',
    comment: 'main, app.module and app.setup are above the modules.',
    from: { path: '^src/[^/]+/' },
    to: { path: '^src/[^/]+\\.ts$' },
  },
  {
    name: 'contract',
    comment: 'Server and browser share the contract, so it imports nothing but itself and the decorators of requests.',
    from: { path: CONTRACT, pathNot: [SHARED_CODE, TEST] },
    to: { pathNot: [CONTRACT, npm('class-validator', 'class-transformer', '@nestjs/mapped-types')] },
  },
  {
    name: 'contract-rules-are-pure',
    comment: 'The browser runs these rules and renders their messages unchanged.',
    from: { path: SHARED_CODE, pathNot: TEST },
    to: { pathNot: CONTRACT },
  },
  {
    name: 'contract-rules-take-types',
    comment: 'A rule may speak of a request; the request class itself carries decorators.',
    from: { path: SHARED_CODE, pathNot: TEST },
    to: { path: CONTRACT, pathNot: SHARED_CODE, dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'contract-rules-of-all-below-the-others',
    comment: 'Requests and the rules of one subject are built on the rules of all subjects, not the other way round.',
    from: { path: '^src/contract/rules/[^/]+$', pathNot: TEST },
    to: { path: CONTRACT, pathNot: '^src/contract/(?:rules/[^/]+|messages/[^/]+)$' },
  },
  {
    name: 'migrations-stand-alone',
    comment: 'A released migration must not change because the code did.',
    from: { path: '^migrations/' },
    to: { path: '^src/' },
  },
];

const client = [
  {
    name: 'client-knows-the-contract-only',
    comment: 'The browser and the server meet at the contract.',
    from: { path: '^client/' },
    to: { path: '^(?:src|migrations)/', pathNot: CONTRACT },
  },
  {
    name: 'client-takes-the-contract-as-types',
    comment: 'Request classes carry decorators that belong on the server; the rules are made for both.',
    from: { path: '^client/' },
    to: { path: CONTRACT, pathNot: SHARED_CODE, dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'client-loads-texts-of-rules-only',
    comment: "The server's messages come with its responses; their English is only in the file for translators.",
    from: { path: '^client/src/' },
    to: { path: '^src/contract/messages/', pathNot: '[/-](message|duration|(rules|imports|relationships)\\.en)\\.ts$' },
  },
  {
    name: 'client-shared',
    comment: 'Shared code imports none of its users.',
    from: { path: '^client/src/shared/' },
    to: { path: '^client/src/', pathNot: '^client/src/shared/' },
  },
  {
    name: 'client-shared-below-browser',
    comment: 'What the browser keeps is built on addresses, drafts and texts; notices serve all of them.',
    from: { path: '^client/src/shared/(?:addresses/|drafts/|i18n/|notices\\.ts)' },
    to: { path: '^client/src/shared/browser/' },
  },
  {
    name: 'client-api',
    comment: 'API calls import no screen.',
    from: { path: '^client/src/api/' },
    to: { path: '^client/src/(?:features|app)/' },
  },
  {
    name: 'client-features-below-app',
    comment: 'The application combines features; they do not import it.',
    from: { path: '^client/src/features/' },
    to: { path: '^client/src/app/' },
  },
  {
    name: 'client-features-apart',
    comment:
      'A feature can be removed without touching another; the second factor is part of two, and knows neither. Access is taken back in one dialog. A page that names a field of another takes its words.',
    from: { path: '^client/src/features/([^/]+)/' },
    to: {
      path: '^client/src/features/',
      pathNot: [
        '^client/src/features/(?:$1|two-factor|passkeys)/',
        '^client/src/features/grants/take-back-dialog\\.tsx$',
        '^client/src/features/.+/words/en\\.ts$',
      ],
    },
  },
];

const testFolders = [
  {
    name: 'test-of-a-module',
    comment: 'A test is in the folder of the module that it tests, or in one of the folders for what crosses modules.',
    from: { path: '^test/', pathNot: `^test/(?:${MODULES}|contract|platform|${any(KINDS_OF_TESTS)})/` },
    to: {},
  },
  {
    name: 'test-folders-as-in-module',
    comment: 'A folder of tests inside of a module has the name of a folder of the module.',
    from: {
      path: `^test/(?:${MODULES}|contract|platform)/[^/]+/`,
      pathNot: [
        ...[...LINES.flat(), 'contract', 'platform'].map((name) => `^test/${name}/${any(foldersOf(name))}/[^/]+$`),
        // The whole gateway before each of other people's servers.
        '^test/gateway/dialects/',
        // The sentences of pages and messages that claim something, with what proves them.
        '^test/contract/claims/',
      ],
    },
    to: {},
  },
];

/** The folders of a module at any depth: `gateway/application/access` is tested in `gateway/access`. */
function foldersOf(module) {
  return readdirSync(join(__dirname, 'src', module), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
}

const everywhere = [
  {
    name: 'model-stands-alone',
    comment: 'The model of the decision is a second implementation, so it shares no code with the first one.',
    from: { path: '^test/model/decision/' },
    to: { path: '^(?:src|test/(?!model/decision/))' },
  },
  {
    name: 'server-without-client',
    comment: 'The server serves the built client and imports nothing of it.',
    from: { path: '^(?:src|migrations)/' },
    to: { path: '^client/' },
  },
  {
    name: 'product-alone',
    comment: 'The product runs without its demo, tests, benchmarks and scripts.',
    from: { path: '^(?:src|client|migrations)/', pathNot: TEST },
    to: { path: ['^(?:demo|test|bench|scripts)/', TEST] },
  },
  {
    name: 'kit-alone',
    comment: 'The enforcement kit is a package of its own, and a second opinion: it shares no code with the product.',
    from: { path: '^kit/(?!test/)' },
    to: { path: ['^(?:src|client|migrations|demo|test|bench|scripts)/', '^kit/test/'] },
  },
  {
    name: 'no-development-packages',
    comment: 'An installation has no devDependencies.',
    from: { path: '^(?:src|migrations)/', pathNot: TEST },
    to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'no-undeclared-packages',
    comment: 'A package that is there by chance is gone by chance.',
    from: { path: '^(?:src|migrations|client)/' },
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
  },
  {
    name: 'no-unresolvable',
    comment: 'Every import resolves. Modules made by the build are named `virtual:`.',
    from: {},
    to: { couldNotResolve: true, pathNot: ['/dist/', '^virtual:'] },
  },
  { name: 'no-cycles', comment: 'Imports have no circles.', from: {}, to: { circular: true } },
  {
    name: 'no-orphans',
    comment: 'A file without importers is either started by name or left over.',
    from: {
      orphan: true,
      pathNot: ['^(?:scripts|test)/', '\\.d\\.ts$', TEST, '^client/vite\\.config\\.ts$', '^migrations/\\d'],
    },
    to: {},
  },
];

module.exports = {
  forbidden: [...modules, ...foundations, ...client, ...testFolders, ...everywhere].map((rule) => ({
    severity: 'error',
    ...rule,
  })),
  options: {
    // Types count: an import that vanishes when compiled still couples two modules.
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // A sixth of the work is for what no rule asks.
    skipAnalysisNotInRules: true,
    exclude: { path: '^(?:dist|data)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      // A package of types only has no other entry.
      mainFields: ['module', 'main', 'types'],
      // Each import of `./x.js`, which is `x.ts`, is first looked for with each of these at its end.
      extensions: ['.js', '.ts', '.tsx', '.d.ts'],
      cachedInputFileSystem: { cacheDuration: 600_000 },
    },
  },
};
