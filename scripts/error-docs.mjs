/**
 * `node scripts/error-docs.mjs`: writes docs/errors.md from the catalogue that server and help pages use. `--check`
 * writes nothing and fails when the document says something else.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandFailed, exitWith, root } from './prepare.mjs';
import './typescript.mjs';

const { oauthErrors, generalCause } = await import('../src/contract/activity/oauth-errors.ts');
const { catalogue } = await import('../src/contract/activity/catalogue.ts');

const file = 'docs/errors.md';
const head = `# Errors

<!-- Written by scripts/error-docs.mjs from src/contract/activity; change these files and run the script again. -->

The \`error\` codes of OAuth answers, as \`/help/errors/<code>\` explains them to developers of apps (\`error_uri\`), and the causes that
the record of a launch distinguishes. A word in ‹ › stands for a value of the request.
`;

const stages = {
  request: 'The authorization request',
  scopes: 'Scopes',
  person: 'The user',
  token: 'Token requests',
  gateway: 'Requests for data',
  end: 'Ends of access',
};

try {
  const text = [
    head,
    ...Object.entries(oauthErrors).map(errorSection),
    ...Object.entries(stages).map(stageSection),
  ].join('\n');
  if (!process.argv.includes('--check')) await writeFile(join(root, file), text);
  else if ((await readFile(join(root, file), 'utf8').catch(() => '')) !== text) {
    throw new CommandFailed(`${file} is out of date. Run \`node scripts/error-docs.mjs\`.`);
  }
} catch (error) {
  exitWith(error);
}

function errorSection([code, { text, advice, causes = [] }]) {
  const titles = new Set(causes.map((cause) => generalCause(cause).title));
  const list = titles.size > 0 ? `\nPossible causes: ${[...titles].join('; ')}.\n` : '';
  return `## \`${code}\`\n\n${text}\n\n${advice}\n${list}`;
}

function stageSection([stage, title]) {
  const codes = Object.entries(catalogue).filter(([, cause]) => cause.stage === stage && cause.severity !== 'step');
  const rows = codes.map(([code]) => {
    const cause = generalCause(code);
    return `| \`${code}\` | ${[cause.title, cause.text, cause.change].map(cell).join(' | ')} |`;
  });
  return `## ${title}\n\n| Cause | Decided by | For the app's developer | What to change |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}

function cell(text = '') {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
