import { ConfigurationChanges } from './as-code/application/configuration-changes.js';
import { ConfigurationExports } from './as-code/application/configuration-exports.js';
import { Releases } from './as-code/application/releases.js';
import { planAsText } from './as-code/domain/plan-text.js';
import { type PortalCommand, pathOf } from './cli.command-line.js';
import { counted } from './contract/messages/counted.js';

/** Commands that keep clients, tags, claims of users and relationships in a file. */
export const asCodeCommands: PortalCommand[] = [
  {
    usage: 'export [--users] [--with-relationships]',
    summary:
      'Prints tags, tenants, disclaimers and clients as YAML, without secrets; with --users the claims of users, with --with-relationships who acts for which patient, too.',
    async run(app, _args, options) {
      const text = await app.get(ConfigurationExports, { strict: false }).export({
        withUsers: options.has('--users'),
        withRelationships: options.has('--with-relationships'),
      });
      return text.trimEnd();
    },
  },
  {
    usage: 'plan <file> [--adopt] [--with-relationships]',
    summary: 'Shows what apply would change; exit code 0 if nothing, 2 if something, 1 if the file is wrong.',
    async run(app, [file = ''], options) {
      const plan = await app.get(ConfigurationChanges, { strict: false }).plan(pathOf(file), {
        adopt: options.has('--adopt'),
        withRelationships: options.has('--with-relationships'),
      });
      return { text: planAsText(plan), exitCode: plan.isEmpty ? 0 : 2 };
    },
  },
  {
    usage: 'apply <file> [--adopt] [--allow-delete] [--with-relationships] [--plan=<plan>]',
    summary:
      'Makes clients, tags and claims of users what a file says, all or nothing; --adopt takes over what is managed by hand, --allow-delete deletes what is not in the file any more, --with-relationships makes relationships that are not there, --plan refuses another plan than this one.',
    async run(app, [file = ''], options) {
      const plan = await app.get(ConfigurationChanges, { strict: false }).apply(pathOf(file), {
        adopt: options.has('--adopt'),
        allowDelete: options.has('--allow-delete'),
        withRelationships: options.has('--with-relationships'),
        plan: options.get('--plan'),
      });
      return plan.isEmpty ? planAsText(plan) : `${planAsText(plan)}\nThe file was applied.`;
    },
  },
  {
    usage: 'release all',
    summary: 'Gives everything that a file manages back to the administrators; nothing else changes.',
    async run(app) {
      const count = await app.get(Releases, { strict: false }).releaseAll();
      return `${counted(count, 'object is', 'objects are')} managed by hand again.`;
    },
  },
  {
    usage: 'release <kind> <name>',
    summary:
      'Gives one object back to the administrators: client <client_id>, tag <value> or user <email>; nothing else changes.',
    async run(app, [kind = '', name = '']) {
      await app.get(Releases, { strict: false }).release(kind, name);
      return `The ${kind} ${name} is managed by hand again.`;
    },
  },
];
