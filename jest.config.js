/** Every suite runs the code as ES modules (`NODE_OPTIONS=--experimental-vm-modules`), compiled by SWC with the build's own settings. */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/src', '<rootDir>/test', '<rootDir>/client'],
  testMatch: ['**/*.test.ts', '**/*.test.tsx'],
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: { '^.+\\.tsx?$': ['@swc/jest', { swcrc: true }] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  setupFiles: ['<rootDir>/src/platform/logging/engine-warning.ts'],
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  // `npm run test:hapi` says where the Java server is.
  testPathIgnorePatterns: ['/node_modules/', ...(process.env.HAPI_CLASSPATH ? [] : ['<rootDir>/test/hapi/'])],
  testTimeout: 240_000,
  // Each file leaves its modules behind in the worker.
  workerIdleMemoryLimit: '1500MB',
};
