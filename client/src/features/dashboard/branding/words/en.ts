import { addWords } from '../../../../shared/i18n/add-words.js';

/** The sheet in which administrators try name, color and logo. */
const branding = {
  title: 'Name and colors',
  caption: 'First steps',
  lead: 'Nothing is changed here: the configuration file of the server has these settings.',
  organization: 'Name of the organization',
  text: 'Sentence on the sign-in page',
  color: 'Accent color',
  chooseColor: 'Choose a color',
  colorHelp: 'Buttons and links, as #RRGGBB',
  colorWrong: 'The color has the form #RRGGBB, such as #0A6375',
  colorPale: 'White text on this color would be hard to read, so the color of the product stays.',
  logo: 'Logo',
  logoHelp: 'PNG, JPEG, WebP or SVG, at most 256 KB',
  chooseLogo: 'Choose a file',
  removeLogo: 'Remove',
  logoTooLarge: 'The file has more than 256 KB',
  logoWrong: 'This is not a PNG, JPEG, WebP or SVG file',
  preview: 'Preview',
  light: 'Light',
  dark: 'Dark',
  forConfiguration: 'For the configuration file',
  configurationHelp: 'Put these lines into gatehouse.yaml and restart the server.',
  copyConfiguration: 'Copy the configuration',
  nothing: 'Nothing to configure yet.',
} as const;

export const words = addWords({ branding });

declare module '../../../../shared/i18n/add-words.js' {
  interface Words {
    'dashboard/branding': typeof words;
  }
}
