export const apiReference = {
  title: 'API',
  lead: 'The calls of this portal, in English. Programs read them at <code>{{path}}</code> (OpenAPI 3.1).',
  calls: 'Calls',
  download: 'Download',
} as const;
