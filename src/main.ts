import './platform/logging/engine-warning.js';

import { useCompileCache } from './compile-cache.js';

useCompileCache();
// Not a static import: that would be compiled, and the engine loaded, before the lines above run.
await import('./portal-node.js');
