'use strict';

/** Grouped bars as inline SVG, without anything from elsewhere. */

/**
 * @typedef {object} Bar
 * @property {number | null} value null where there is none
 * @property {string} label written along the bar
 * @property {string} color
 *
 * @typedef {object} Group
 * @property {string} label
 * @property {string} detail a second line below it
 * @property {{ label: string, bars: Bar[] }[]} parts
 *
 * @typedef {object} Chart
 * @property {string} title for those who do not see it
 * @property {string} unit what follows each figure of the axis
 * @property {number | null} reference drawn across the whole chart
 * @property {Group[]} groups
 */

const WIDTH = 960;
const HEIGHT = 340;
const LEFT = 52;
const RIGHT = 4;
const TOP = 62;
const BOTTOM = 56;
const PLOT = HEIGHT - TOP - BOTTOM;

/** @param {string} text */
function escapeMarkup(text) {
  /** @type {Record<string, string>} */
  const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (character) => entities[character]);
}

/**
 * Round steps of the axis: four to eight of them.
 *
 * @param {number} highest
 */
function axisStep(highest) {
  const power = 10 ** Math.floor(Math.log10(highest / 4));
  const step = [1, 2, 5, 10].find((factor) => (factor * power * 8 >= highest ? factor : 0)) ?? 10;
  return step * power;
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} kind
 * @param {string} text
 * @param {string} [more]
 */
function drawText(x, y, kind, text, more = '') {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" class="${kind}"${more}>${escapeMarkup(text)}</text>`;
}

/**
 * @param {Bar} bar
 * @param {number} x
 * @param {number} width
 * @param {(value: number) => number} toY
 */
function drawBar({ value, label, color }, x, width, toY) {
  const middle = x + width / 2;
  if (value === null) return drawText(middle, toY(0) - 4, 'none', '–');
  const y = toY(value);
  const at = `${(middle + 3.2).toFixed(1)} ${(y - 4).toFixed(1)}`;
  const height = Math.max(0.5, toY(0) - y);
  return (
    `<rect x="${(x + 1).toFixed(1)}" y="${(toY(0) - height).toFixed(1)}" ` +
    `width="${(width - 2).toFixed(1)}" height="${height.toFixed(1)}" fill="${color}"/>` +
    drawText(0, 0, 'value', label, ` transform="translate(${at}) rotate(-90)"`)
  );
}

/**
 * @param {Group} group
 * @param {number} left
 * @param {number} width
 * @param {(value: number) => number} toY
 */
function drawGroup({ label, detail, parts }, left, width, toY) {
  // Half a bar between the parts, one around the group.
  const count = parts.reduce((sum, { bars }) => sum + bars.length, 0);
  const barWidth = width / (count + 1 + 0.5 * (parts.length - 1));
  const marks = [];
  let x = left + barWidth / 2;
  for (const part of parts) {
    const partWidth = barWidth * part.bars.length;
    for (const [i, bar] of part.bars.entries()) {
      marks.push(drawBar(bar, x + i * barWidth, barWidth, toY));
    }
    marks.push(drawText(x + partWidth / 2, toY(0) + 13, 'part', part.label));
    x += partWidth + barWidth / 2;
  }
  marks.push(drawText(left + width / 2, toY(0) + 30, 'group', label));
  marks.push(drawText(left + width / 2, toY(0) + 45, 'detail', detail));
  return marks.join('\n');
}

/**
 * @param {Chart} chart
 * @returns {string}
 */
function drawBars({ title, unit, reference, groups }) {
  const values = groups.flatMap(({ parts }) =>
    parts.flatMap(({ bars }) => bars.flatMap(({ value }) => value ?? [])),
  );
  const highest = Math.max(reference ?? 0, ...values) || 1;
  const step = axisStep(highest);
  const toY = (/** @type {number} */ value) => TOP + PLOT * (1 - value / highest);
  const lines = [];
  for (let value = 0; value <= highest * 1.0001; value += step) {
    const y = toY(value).toFixed(1);
    lines.push(`<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y}" y2="${y}" class="grid"/>`);
    lines.push(drawText(LEFT - 6, toY(value) + 4, 'axis', `${Math.round(value)}${unit}`));
  }
  const width = (WIDTH - LEFT - RIGHT) / Math.max(1, groups.length);
  const drawn = groups.map((group, i) => drawGroup(group, LEFT + i * width, width, toY));
  if (reference !== null) {
    const y = toY(reference).toFixed(1);
    drawn.push(`<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y}" y2="${y}" class="reference"/>`);
  }
  return [
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeMarkup(title)}">`,
    ...lines,
    ...drawn,
    '</svg>',
  ].join('\n');
}

module.exports = { drawBars, escapeMarkup };
