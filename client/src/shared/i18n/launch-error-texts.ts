import { launchError } from './en/launch-error.js';
import { i18n } from './i18n.js';

/** Imported by what shows them: pages that go well do without. */
i18n.addResourceBundle('en', 'translation', { launchError }, true);
