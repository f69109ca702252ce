import { accessLog } from './access-log.js';
import { adminTexts } from './admin.js';
import { apiReference } from './api-reference.js';
import { audit } from './audit.js';
import { branding } from './branding.js';
import { bulk } from './bulk.js';
import { clientTexts } from './client-pages.js';
import { consent } from './consent.js';
import { discovery } from './discovery.js';
import { firstTexts } from './first.js';
import { helpdesk } from './helpdesk.js';
import { launchError } from './launch-error.js';
import { launchTrial } from './launch-trial.js';
import { managed } from './managed.js';
import { keepAccount, ownData } from './own-data.js';
import { palette } from './palette.js';
import { passkeys } from './passkeys.js';
import { choosePassword, forgotPassword, passwordRules, recovery } from './passwords.js';
import { presence } from './presence.js';
import { readiness } from './readiness.js';
import { receipts } from './receipts.js';
import { register } from './register.js';
import { signedInTexts } from './signed-in.js';
import { twoFactor, verification } from './two-factor.js';
import { userImport } from './user-import.js';
import { users } from './users.js';
import { welcome } from './welcome.js';

/**
 * The texts of the pages, in English. What the specification words is here word for word; the rest fills its gaps.
 * Messages of the server come with its responses. The pages load the parts at different times.
 */
export const en = {
  ...firstTexts,
  ...signedInTexts,
  ...adminTexts,
  ...clientTexts,
  accessLog,
  apiReference,
  audit,
  discovery,
  users,
  userImport,
  bulk,
  managed,
  branding,
  consent,
  launchError,
  launchTrial,
  welcome,
  register,
  verification,
  twoFactor,
  forgotPassword,
  choosePassword,
  passwordRules,
  recovery,
  helpdesk,
  palette,
  passkeys,
  presence,
  readiness,
  receipts,
  keepAccount,
  ownData,
} as const;
