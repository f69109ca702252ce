import { commands, help, recognise } from '../../src/cli.commands.js';

const asked = (line: string) => {
  const found = recognise(line.split(' '));
  return found && { usage: found.command.usage, args: found.args, options: [...found.options] };
};

describe('A command line after `npx gatehouse`', () => {
  it('is recognised with arguments and options in any order', () => {
    expect(asked('keys list')).toEqual({ usage: 'keys list', args: [], options: [] });
    expect(asked('keys rotate')?.options).toEqual([]);
    for (const line of ['keys rotate --now', '--now keys rotate']) expect(asked(line)?.options).toEqual(['--now']);
    expect(asked('client disable bone-app')?.args).toEqual(['bone-app']);
  });

  it.each([
    '',
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

  it('can be each command of the help text', () => {
    for (const { usage, summary } of commands) expect(help()).toContain(`${usage.padEnd(27)}  ${summary}`);
  });
});
