/** Goals of rows: requests per second, and CPU time of Node and PostgreSQL together in microseconds. */
const goals = {
  'Gatehouse: introspection of a JWT': { perSecond: 4000, cpu: 250 },
  'Gatehouse: introspection of a reference token': { perSecond: 2500 },
  'Gatehouse: authorize, signed in': { perSecond: 1000, cpu: 1600 },
  'Gatehouse: code exchange': { perSecond: 1100, cpu: 1500 },
  'Gatehouse: refresh': { perSecond: 1000, cpu: 1600 },
  'gateway, everything: read': { perSecond: 4000, cpu: 350 },
  'gateway, one patient: read': { perSecond: 4000, cpu: 400 },
  'gateway, one patient: search of 50': { perSecond: 1800, cpu: 700 },
};

const comparisons = {
  'at least': (value, wanted) => value >= wanted,
  'at most': (value, wanted) => value <= wanted,
  under: (value, wanted) => value < wanted,
  // A tenth is within what two runs differ.
  about: (value, wanted) => value <= wanted * 1.1,
};

/** The goal of a row, and whether it is met; undefined for a row without one. */
export function goalOfRow({ name, perSecond, cpu = {} }) {
  const wanted = goals[name];
  if (!wanted) return undefined;
  const used = (cpu.node ?? 0) + (cpu.postgres ?? 0);
  const isMet = perSecond >= wanted.perSecond && !(used > wanted.cpu);
  const texts = [`≥ ${whole(wanted.perSecond)}/s`, ...(wanted.cpu ? [`≤ ${whole(wanted.cpu)} µs`] : [])];
  return said(texts.join(', '), isMet);
}

/** The goal of a ratio, which its name tells in parentheses; undefined for one without. */
export function goalOfRatio(name, value) {
  const [, how, number] = /\((at least|at most|under|about|less than) ([\d.,]+)\)/.exec(name) ?? [];
  if (how === undefined) return undefined;
  const isMet = comparisons[how === 'less than' ? 'under' : how](value, Number(number.replace(',', '')));
  return said(`${how} ${number}`, isMet);
}

function said(text, isMet) {
  return { text: `${text}: ${isMet ? 'met' : 'not met'}`, isMet };
}

function whole(value) {
  return Math.round(value).toLocaleString('en-US');
}
