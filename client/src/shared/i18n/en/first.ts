import { ruleTexts } from '../../../../../src/contract/messages/rules.en.js';
import { errorPages, header, lostSession } from './app.js';
import { common, errors, gone, product, roles } from './common.js';
import { way } from './flow.js';
import { accountError, login } from './login.js';

/** The texts that may be shown before a user is signed in. They are part of the first scripts. */
export const firstTexts = {
  product,
  common,
  roles,
  errors,
  gone,
  header,
  errorPages,
  lostSession,
  login,
  accountError,
  way,
  messages: ruleTexts,
} as const;
