import { launchTrial } from './en/launch-trial.js';
import { i18n } from './i18n.js';

/** Imported by the one page that needs them. */
i18n.addResourceBundle('en', 'translation', { launchTrial }, true);
