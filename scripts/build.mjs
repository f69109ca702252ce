/** `npm run build`: installs and builds what is missing, and runs nothing. */
import { exitWith, prepare } from './prepare.mjs';

await prepare().catch(exitWith);
