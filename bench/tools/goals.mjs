/**
 * Requests per second of peers on the machine on which the goals of rows were set. A goal is scaled by what the peer
 * does in the same run, because machines differ, and one machine from day to day.
 */
const peers = {
  'bare engine: secret → ES256': 5460,
  'nginx: read': 24_966,
  'nginx: search of 50': 8269,
};

/**
 * Goals of rows: requests per second, and CPU time of Node and PostgreSQL together in microseconds, on that machine.
 */
const goals = {
  'Gatehouse: introspection of a JWT': { peer: 'bare engine: secret → ES256', perSecond: 4000, cpu: 250 },
  'Gatehouse: introspection of a reference token': { peer: 'bare engine: secret → ES256', perSecond: 2500 },
  'Gatehouse: authorize, signed in': { peer: 'bare engine: secret → ES256', perSecond: 1000, cpu: 1600 },
  'Gatehouse: code exchange': { peer: 'bare engine: secret → ES256', perSecond: 1100, cpu: 1500 },
  'Gatehouse: refresh': { peer: 'bare engine: secret → ES256', perSecond: 1000, cpu: 1600 },
  'gateway, everything: read': { peer: 'nginx: read', perSecond: 4000, cpu: 350 },
  'gateway, one patient: read': { peer: 'nginx: read', perSecond: 4000, cpu: 400 },
  'gateway, one patient: search of 50': { peer: 'nginx: search of 50', perSecond: 1800, cpu: 700 },
};

const comparisons = {
  'at least': (value, wanted) => value >= wanted,
  'at most': (value, wanted) => value <= wanted,
  under: (value, wanted) => value < wanted,
  // A tenth is within what two runs differ.
  about: (value, wanted) => value <= wanted * 1.1,
};

/**
 * The goal of a row, and whether it is met; undefined for a row without one, or whose peer is not among the `rows` of
 * the run.
 */
export function goalOfRow({ name, perSecond, cpu = {} }, rows) {
  const { peer, ...goal } = goals[name] ?? {};
  const found = rows.find((row) => row.name === peer);
  if (!found) return undefined;
  const speed = found.perSecond / peers[peer];
  const wanted = { perSecond: goal.perSecond * speed, cpu: goal.cpu / speed };
  const used = (cpu.node ?? 0) + (cpu.postgres ?? 0);
  const isMet = perSecond >= wanted.perSecond && !(used > wanted.cpu);
  const texts = [`≥ ${whole(wanted.perSecond)}/s`, ...(goal.cpu ? [`≤ ${whole(wanted.cpu)} µs`] : [])];
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
