/**
 * `node scripts/openapi.mjs`: describes the API (OpenAPI 3.1) in dist/openapi.json, from the controllers and the
 * classes of the contract; the build runs it. `--check` writes nothing and fails where a call lacks words.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openApi } from './openapi/document.mjs';
import { CommandFailed, exitWith, root } from './prepare.mjs';

try {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const { document, gaps } = await openApi(version);
  if (process.argv.includes('--check')) {
    if (gaps.length > 0) throw new CommandFailed(gaps.join('\n'));
  } else {
    await mkdir(join(root, 'dist'), { recursive: true });
    await writeFile(join(root, 'dist/openapi.json'), JSON.stringify(document));
  }
} catch (error) {
  exitWith(error);
}
