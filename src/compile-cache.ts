import module from 'node:module';
import { join } from 'node:path';
import { productRoot } from './platform/process/product.js';

/**
 * Keeps the compiled code of the server next to it (Node 22.1 and later; `NODE_COMPILE_CACHE` names another folder).
 * Not in the system's temporary folder, Node's default: other users of the machine can create that folder first, with
 * code of their own. Where the folder cannot be written, Node starts without.
 */
export function useCompileCache(): void {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return;
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
  enableCompileCache?.(join(productRoot, 'dist/.compile-cache'));
}
