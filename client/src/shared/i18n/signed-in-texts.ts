import { signedInTexts } from './en/signed-in.js';
import { i18n } from './i18n.js';

/** Imported by the shells of the flow and the areas, for the pages within them. */
i18n.addResourceBundle('en', 'translation', signedInTexts, true);
