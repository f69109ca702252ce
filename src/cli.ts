/**
 * `npx gatehouse <command>`: commands for operators without a browser. They use the portal's configured database,
 * whether the portal runs or not. Exit code: 0 success, 1 failure, 64 invalid arguments.
 */
import './platform/logging/engine-warning.js';

import { useCompileCache } from './compile-cache.js';

useCompileCache();
// Not a static import: that would be compiled, and the engine loaded, before the lines above run.
const { runAndExit } = await import('./cli.run.js');
await runAndExit();
