export const header = {
  home: '{{organization}}, home page',
  menu: 'Menu',
  accountMenu: 'Account menu of {{name}}',
  accountSettings: 'Account settings',
  logout: 'Logout',
} as const;

export const errorPages = {
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

export const lostSession = {
  title: 'You have been signed out',
  text: 'What you entered is kept. Sign in again with the same account, in a new tab: this page then goes on by itself.',
  signIn: 'Sign in again',
  notSaved: 'You were signed out, so this was not saved. You are signed in again: please save once more.',
  notDone: 'You were signed out, so this was not done. You are signed in again: please try once more.',
} as const;
