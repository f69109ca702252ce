import type { Action, Change, FieldChange, Plan } from './plan.js';

const signs: Record<Action, string> = {
  create: '+',
  change: '~',
  adopt: '~',
  'adoption-needed': '!',
  delete: '-',
  release: '=',
  stopped: '!',
  'configured-otherwise': '!',
};

const remarks: Partial<Record<Action, string>> = {
  adopt: ' (taken over: managed by the file from now on)',
  'adoption-needed': ' exists and is managed by hand: --adopt takes it over',
  release: ' (released: stays as it is and is managed by hand again)',
  stopped: ' was disabled by hand and stays disabled, until it is enabled on its page',
};

const configuredIn = { tenant: 'fhir.tenants', disclaimer: 'disclaimers' } as const;

/** The plan as an operator reads it. */
export function planAsText(plan: Plan): string {
  if (plan.isEmpty) return 'No changes.';
  return [...plan.changes.flatMap(changeLines), '', `Plan ${plan.id}: ${summary(plan)}.`].join('\n');
}

function summary(plan: Plan): string {
  const parts: [count: number, what: string][] = [
    [plan.count('create'), 'to create'],
    [plan.count('change'), 'to change'],
    [plan.count('adopt'), 'to take over'],
    [plan.count('delete'), 'to delete'],
    [plan.count('release'), 'to release'],
    [plan.count('adoption-needed', 'configured-otherwise'), 'not possible as it is'],
    [plan.count('stopped'), 'disabled by hand'],
  ];
  return parts.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : [])).join(', ');
}

function changeLines(change: Change): string[] {
  const { kind, name, action, fields, note } = change;
  return [
    `${signs[action]} ${kind} ${name}${remarkOf(change)}`,
    ...(note === undefined ? [] : [`    ${note}`]),
    ...(action === 'delete' ? [] : fields.flatMap(fieldLines)),
  ];
}

function remarkOf({ kind, action }: Change): string {
  if (kind === 'tenant' || kind === 'disclaimer') {
    return ` differs from ${configuredIn[kind]} in the configuration of the portal: change it there, or leave ${kind}s out of the file`;
  }
  return remarks[action] ?? '';
}

function fieldLines({ field, before, after }: FieldChange): string[] {
  if (before === undefined) return [`    ${field}: ${valueText(after)}`];
  if (!Array.isArray(before) || !Array.isArray(after)) {
    return [`    ${field}: ${valueText(before)} -> ${valueText(after)}`];
  }
  const removed = without(before.map(valueText), after.map(valueText));
  const added = without(after.map(valueText), before.map(valueText));
  if (removed.length + added.length === 0) return [`    ${field}: in another order: ${valueText(after)}`];
  return [`    ${field}:`, ...removed.map((text) => `      - ${text}`), ...added.map((text) => `      + ${text}`)];
}

/** Each of the others takes one away. */
function without(texts: string[], others: string[]): string[] {
  const left = [...others];
  return texts.filter((text) => {
    const index = left.indexOf(text);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}

/** JSON in one line: no character of a value can pass for another line of the plan. */
function valueText(value: unknown): string {
  return JSON.stringify(value ?? null).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
