import { FastColor } from '@ant-design/fast-color';
import fc from 'fast-check';
import { accentColors, type Mode } from './accent.js';

/** WCAG 2.2 contrast ratio. */
function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [one, other]
    .map((color) => new FastColor(color).getLuminance())
    .sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}
const modes: Mode[] = ['light', 'dark'];
const hex = fc.integer({ min: 0, max: 0xffffff }).map((number) => `#${number.toString(16).padStart(6, '0')}`);
const surfaces = { light: ['#FFFFFF', '#F5F7F9'], dark: ['#0F1519', '#161E24', '#1C262D'] };

describe('the accent', () => {
  it.each(modes)('is petrol in %s mode when the branding configures no colour', (mode) => {
    expect(accentColors(null, mode).colorPrimary).toBe(mode === 'light' ? '#0A6375' : '#18788B');
  });

  it.each(['#F4D03F', '#777777', 'teal', '#FFF', ''])(
    'falls back to petrol for %s, on which white is hard to read',
    (accent) => {
      expect(accentColors(accent, 'light').colorPrimary).toBe('#0A6375');
    },
  );

  it('is the branding colour where that is readable', () => {
    expect(accentColors('#7A1FA2', 'light').colorPrimary).toBe('#7A1FA2');
  });

  it.each(modes)('is legible in %s mode for any branding colour', (mode) => {
    fc.assert(
      fc.property(hex, (accent) => {
        const colors = accentColors(accent, mode);
        for (const fill of [colors.colorPrimary, colors.colorPrimaryHover, colors.colorPrimaryActive]) {
          expect(contrast(fill, '#FFFFFF')).toBeGreaterThanOrEqual(4.5);
        }
        for (const surface of surfaces[mode]) {
          expect(contrast(colors.colorPrimaryText, surface)).toBeGreaterThanOrEqual(4.5);
          expect(contrast(colors.colorPrimaryBorder, surface)).toBeGreaterThanOrEqual(3);
        }
        expect(contrast(colors.colorPrimaryText, colors.colorPrimaryBg)).toBeGreaterThanOrEqual(4.5);
      }),
    );
  });
});
