/** Every suite runs the code as ES modules, imported by Node itself (`test/support/jest-runtime.cjs`). */
export default {
  runtime: '<rootDir>/test/support/jest-runtime.cjs',
  testSequencer: '<rootDir>/test/support/jest-sequencer.cjs',
  testEnvironment: '<rootDir>/test/support/jest-environment.cjs',
  roots: ['<rootDir>/src', '<rootDir>/test', '<rootDir>/client', '<rootDir>/kit'],
  testMatch: ['**/*.test.ts', '**/*.test.tsx'],
  transform: {},
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  // `npm run test:hapi` says where the Java server is, `npm run test:chart` where Helm is, `npm run test:image` which
  // image, `npm run test:failover` how often.
  testPathIgnorePatterns: [
    '/node_modules/',
    // What pages do next to their main ways (CONTRIBUTING, Tests).
    ...(process.env.LONG ? [] : ['\\.long\\.test\\.ts$']),
    ...(process.env.HAPI_CLASSPATH ? [] : ['<rootDir>/test/hapi/']),
    ...(process.env.GATEHOUSE_FAILOVERS ? [] : ['<rootDir>/test/failover/']),
    ...(process.env.HELM ? [] : ['<rootDir>/test/deploy/chart']),
    ...(process.env.GATEHOUSE_IMAGE ? [] : ['<rootDir>/test/deploy/image']),
  ],
  testTimeout: 240_000,
  workerIdleMemoryLimit: '1500MB',
  // The end of a process of 400 MB takes longer than half a second on a busy machine: a worker that is there after ten
  // has something open.
  workerGracefulExitTimeout: 10_000,
};
