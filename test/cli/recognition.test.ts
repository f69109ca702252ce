import { commands, help, named, recognise } from '../../src/cli.commands.js';

const asked = (line: string) => {
  const found = recognise(line.split(' '));
  return found && { usage: found.command.usage, args: found.args, options: [...found.options.keys()] };
};

describe('A command line after `npx gatehouse`', () => {
  it('is recognised with arguments and options in any order', () => {
    expect(asked('keys list')).toEqual({ usage: 'keys list', args: [], options: [] });
    expect(asked('keys rotate')?.options).toEqual([]);
    for (const line of ['keys rotate --now', '--now keys rotate']) expect(asked(line)?.options).toEqual(['--now']);
    expect(asked('client disable bone-app')?.args).toEqual(['bone-app']);
  });

  it('can end with any number of arguments, and have options with values', () => {
    expect(asked('audit verify')?.args).toEqual([]);
    expect(asked('audit verify a.gz --alone b.gz')).toMatchObject({ args: ['a.gz', 'b.gz'], options: ['--alone'] });
    for (const line of ['audit read a.gz --user=u --from 2026-03-04', 'audit read --from=2026-03-04 --user u a.gz'])
      expect(Object.fromEntries(recognise(line.split(' '))?.options ?? [])).toEqual({
        '--user': 'u',
        '--from': '2026-03-04',
      });
  });

  it.each([
    '',
    'audit read',
    'audit read a.gz --user',
    'audit verify --alone=yes',
    'audit archive 2026-03',
    'audit verify --user u',
    'keys',
    'keys burn',
    'keys list all',
    'keys list --now',
    'client disable',
    'add-admin',
    'add-admin ada@example.org --quietly',
    'client disable a b',
    'disable client a',
  ])('is refused when it is incomplete or unknown: "%s"', (line) => {
    expect(asked(line)).toBeUndefined();
  });

  it.each([
    ['apply', ['apply <file> [--adopt] [--allow-delete] [--with-relationships] [--plan=<plan>]']],
    ['apply a b', ['apply <file> [--adopt] [--allow-delete] [--with-relationships] [--plan=<plan>]']],
    ['keys list --now', ['keys list']],
    ['--now keys list', ['keys list']],
    ['backup', ['backup done', 'backup check <file>', 'backup <file> [--force]']],
    ['release', ['release all', 'release <kind> <name>']],
    ['audit read', [expect.stringMatching(/^audit read <file> /)]],
    ['keys burn', []],
    ['keys', ['keys list', 'keys rotate [--now]', 'keys remove <key>']],
    ['keys --help', ['keys list', 'keys rotate [--now]', 'keys remove <key>']],
    ['--help', commands.map(({ usage }) => usage)],
    ['', []],
  ])('is explained by the commands that it names, or is the beginning of: "%s"', (line, usages) => {
    const meant = named(line.split(' '));
    expect(meant.map(({ usage }) => usage)).toEqual(usages);
    for (const { summary } of meant) expect(help(meant)).toContain(summary);
  });

  it('can be each command of the help text', () => {
    const text = help().replace(/\s+/g, ' ');
    for (const { usage, summary } of commands) expect(text).toContain(`${usage} ${summary}`);
  });

  it('stands in the help text with its summary in one column', () => {
    const lines = help().split('\n');
    const columns = commands
      .filter(({ usage }) => usage.length < 42)
      .map(({ usage, summary }) => lines.find((line) => line.startsWith(`  ${usage}  `))?.indexOf(summary));
    expect(columns.length).toBeGreaterThan(5);
    expect(new Set(columns).size).toBe(1);
    expect(columns[0]).toBeGreaterThan(0);
  });
});
