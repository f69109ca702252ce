import { ruleTexts } from '../../../../../src/contract/messages/rules.en.js';
import { accountSettings } from './account-settings.js';
import { errorPages, header, lostSession, sessionEnd } from './app.js';
import { clientForm } from './client-form.js';
import { clients, tags } from './clients.js';
import { common, errors, gone, product, roles } from './common.js';
import { consent } from './consent.js';
import { dashboard } from './dashboard.js';
import { disclaimers } from './disclaimers.js';
import { discovery } from './discovery.js';
import { way } from './flow.js';
import { claims, conflict, drafts, unsaved } from './forms.js';
import { grants } from './grants.js';
import { launchContext } from './launch-context.js';
import { list } from './list.js';
import { accountError, login } from './login.js';
import { choosePassword, forgotPassword, passwordRules } from './passwords.js';
import { register } from './register.js';
import { scopes } from './scopes.js';
import { twoFactor, verification } from './two-factor.js';
import { users } from './users.js';
import { welcome } from './welcome.js';

/**
 * The texts of the pages, in English. What the specification words is here word for word; the rest fills its gaps.
 * Messages of the server come with its responses.
 */
export const en = {
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
  accountSettings,
  way,
  disclaimers,
  consent,
  launchContext,
  grants,
  discovery,
  clients,
  clientForm,
  tags,
  dashboard,
  list,
  unsaved,
  drafts,
  conflict,
  claims,
  users,
  messages: ruleTexts,
  scopes,
} as const;
