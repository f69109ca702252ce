import { ruleTexts } from '../../../../../src/contract/messages/rules.en.js';
import { errorPages, header, lostSession, sessionEnd } from './app.js';
import { common, errors, gone, product, roles } from './common.js';
import { way } from './flow.js';
import { accountError, login } from './login.js';
import { choosePassword, forgotPassword, passwordRules } from './passwords.js';
import { register } from './register.js';
import { twoFactor, verification } from './two-factor.js';
import { welcome } from './welcome.js';

/** The texts that may be shown before a user is signed in. They are part of the first scripts. */
export const firstTexts = {
  product,
  common,
  roles,
  errors,
  gone,
  header,
  errorPages,
  sessionEnd,
  lostSession,
  welcome,
  login,
  accountError,
  register,
  forgotPassword,
  choosePassword,
  passwordRules,
  verification,
  twoFactor,
  way,
  messages: ruleTexts,
} as const;
