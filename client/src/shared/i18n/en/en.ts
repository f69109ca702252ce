import { accessLog } from './access-log.js';
import { adminTexts } from './admin.js';
import { audit } from './audit.js';
import { firstTexts } from './first.js';
import { launchError } from './launch-error.js';
import { keepAccount, ownData } from './own-data.js';
import { readiness } from './readiness.js';
import { receipts } from './receipts.js';
import { signedInTexts } from './signed-in.js';

/**
 * The texts of the pages, in English. What the specification words is here word for word; the rest fills its gaps.
 * Messages of the server come with its responses. The pages load the parts at different times.
 */
export const en = {
  ...firstTexts,
  ...signedInTexts,
  ...adminTexts,
  accessLog,
  audit,
  launchError,
  readiness,
  receipts,
  keepAccount,
  ownData,
} as const;
