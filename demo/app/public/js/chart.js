// @ts-check
import { element, longDate, svg, table } from './dom.js';

/** @import { Chart, Series } from './observations.js' */

const HEIGHT = 260;
const MARGIN = { top: 32, right: 16, bottom: 32, left: 44 };
const MONTH = new Intl.DateTimeFormat('en-US', { month: 'short', year: 'numeric', timeZone: 'UTC' });

/**
 * A line chart as wide as its container, redrawn when that changes so that its text keeps its size; with a legend, and
 * the same values as a table.
 *
 * @param {HTMLElement} container
 * @param {Chart} chart
 */
export function showChart(container, chart) {
  const drawing = element('div', { class: 'chart' });
  container.replaceChildren(drawing, legend(chart), valuesTable(chart));
  const observer = new ResizeObserver(() => {
    if (drawing.isConnected) {
      drawing.replaceChildren(draw(chart, drawing.clientWidth));
    } else {
      observer.disconnect();
    }
  });
  observer.observe(drawing);
}

/**
 * @param {Chart} chart
 * @param {number} width
 */
function draw({ title, unit, series }, width) {
  const points = series.flatMap((line) => line.points);
  const times = points.map(({ time }) => time);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const ticks = valueTicks(points.map(({ value }) => value));
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)];
  const inner = { width: width - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom };

  /** @param {number} time */
  const x = (time) => MARGIN.left + (last === first ? 0.5 : (time - first) / (last - first)) * inner.width;
  /** @param {number} value */
  const y = (value) => MARGIN.top + (1 - (value - low) / (high - low)) * inner.height;

  const drawing = svg('svg', {
    viewBox: `0 0 ${width} ${HEIGHT}`,
    role: 'img',
    'aria-labelledby': 'chart-title chart-description',
  });
  drawing.append(
    svg('title', { id: 'chart-title' }, `${title} in ${unit}`),
    svg('desc', { id: 'chart-description' }, description(series, unit)),
    svg('text', { x: 0, y: 14 }, unit),
  );
  for (const tick of ticks) {
    drawing.append(
      svg('line', { class: 'grid', x1: MARGIN.left, x2: width - MARGIN.right, y1: y(tick), y2: y(tick) }),
      svg('text', { x: MARGIN.left - 8, y: y(tick) + 4, 'text-anchor': 'end' }, String(tick)),
    );
  }
  for (const [index, time] of timeTicks(first, last, inner.width).entries()) {
    const anchor = index === 0 ? 'start' : time === last ? 'end' : 'middle';
    drawing.append(svg('text', { x: x(time), y: HEIGHT - 8, 'text-anchor': anchor }, MONTH.format(time)));
  }
  for (const [index, line] of series.entries()) {
    const path = line.points.map(({ time, value }) => `${x(time)},${y(value)}`).join(' ');
    drawing.append(svg('polyline', { class: `line series-${index}`, points: path }));
    for (const { time, value } of line.points) {
      drawing.append(svg('circle', { class: `point series-${index}`, cx: x(time), cy: y(value), r: 4 }));
    }
  }
  return drawing;
}

/**
 * Round values that enclose all given ones, three to seven of them.
 *
 * @param {number[]} values
 */
function valueTicks(values) {
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const span = Math.max(max - min, 1);
  const magnitude = 10 ** Math.floor(Math.log10(span / 4));
  const step = ([1, 2, 5, 10].find((factor) => span / (factor * magnitude) <= 5) ?? 10) * magnitude;
  const lowest = Math.floor((min - step / 4) / step);
  const highest = Math.max(Math.ceil((max + step / 4) / step), lowest + 2);
  // Multiples, not sums: adding 0.1 again and again would not stay a round number.
  return Array.from({ length: highest - lowest + 1 }, (_, index) => Number(((lowest + index) * step).toFixed(6)));
}

/**
 * @param {number} first
 * @param {number} last
 * @param {number} width
 */
function timeTicks(first, last, width) {
  const count = first === last ? 1 : Math.max(2, Math.min(6, Math.floor(width / 110)));
  return Array.from({ length: count }, (_, index) => first + ((last - first) * index) / Math.max(1, count - 1));
}

/**
 * @param {Series[]} series
 * @param {string} unit
 */
function description(series, unit) {
  return series
    .map(({ name, points }) => {
      const [from, to] = [points[0], points.at(-1)];
      return from && to
        ? `${name}: ${points.length} values, from ${from.value} ${unit} in ${MONTH.format(from.time)} to ${to.value} ${unit} in ${MONTH.format(to.time)}.`
        : `${name}: no values.`;
    })
    .join(' ');
}

/** @param {Chart} chart */
function legend({ series }) {
  return element(
    'ul',
    { class: 'legend', 'aria-hidden': 'true' },
    ...series.map(({ name }, index) => element('li', { class: `series-${index}` }, name)),
  );
}

/** @param {Chart} chart */
function valuesTable({ title, unit, series }) {
  const times = [...new Set(series.flatMap(({ points }) => points.map(({ time }) => time)))].sort((a, b) => b - a);
  const rows = times.map((time) => [
    longDate(new Date(time).toISOString()),
    ...series.map(({ points }) => String(points.find((point) => point.time === time)?.value ?? 'N/A')),
  ]);
  return element(
    'details',
    {},
    element('summary', {}, 'Show as a table'),
    table(['Date', ...series.map(({ name }) => name)], rows, `${title} in ${unit}`),
  );
}
