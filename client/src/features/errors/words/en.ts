import { addWords } from '../../../shared/i18n/add-words.js';

const errorPages = {
  home: 'Go to the home page',
  draft: 'Back to what you entered',
  badRequest: { code: '400', title: 'Oh no!', text: 'The request cannot be processed. Please try again.' },
  notFound: {
    code: '404',
    title: 'Page not found',
    text: "It seems the page you are looking for has been moved, renamed or doesn't exist.",
  },
  throttled: {
    code: '429',
    title: 'One moment, please',
    text: 'Very many people in your network are using this portal at the moment. Please wait a minute, then load this page again.',
  },
  server: {
    code: '500',
    title: 'Server error',
    text: 'It seems a server error occurred. Luckily your data security is all good.',
  },
} as const;

const launchError = {
  ended: 'This sign-in for {{client}} cannot be continued here.',
  reasons: {
    expired: 'It has expired.',
    'no-cookie':
      'This browser has no cookie of it. Cookies of this site were removed or blocked, or it was begun in another browser.',
    'other-browser': 'It was begun in another browser.',
    'other-sign-in': 'The sign-in of this browser has changed since it was begun.',
    gone: 'No sign-in waits under this address: it was answered already, it expired a while ago, or the address was changed.',
    'cut-address': 'The address of this page is not whole: a part of it was cut off, or something was added.',
    client: 'The app is not registered at this portal, or it has been disabled.',
  },
  throttled: 'The sign-in for {{client}} could not begin yet.',
  goOn: 'Continue to {{client}}',
  startAgain: 'Start again in {{client}}',
} as const;

export const words = addWords({ errorPages, launchError });

declare module '../../../shared/i18n/add-words.js' {
  interface Words {
    errors: typeof words;
  }
}
