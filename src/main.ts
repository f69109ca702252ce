import './platform/logging/engine-warning.js';

import { fileURLToPath } from 'node:url';
import { useCompileCache } from './compile-cache.js';

useCompileCache();
// Not a static import: that would be compiled, and the engine loaded, before the lines above run.
const { start } = await import('./start.js');
await start(fileURLToPath(import.meta.url));
