export const register = {
  title: 'Create an Admin Account',
  lead: 'This first account manages users, clients and settings.',
  setupToken: 'Setup token',
  setupTokenHelp: 'It was printed where this portal was started.',
  setupTokenEmpty: 'Setup token cannot be empty',
  submit: 'Create account',
  existsTitle: 'Admin already exists!',
  existsText: 'This portal already has an admin account. Sign in with it to continue.',
} as const;
