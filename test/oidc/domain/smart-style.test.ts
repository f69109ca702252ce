import { createHash } from 'node:crypto';
import { smartStyle, smartStyleUrl } from '../../../src/oidc/domain/smart-style.js';

const issuer = 'https://login.hospital.example';

describe('the SMART style', () => {
  it('has the members of SMART with the colors of the sign-in pages', () => {
    const fonts = "-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
    expect(JSON.parse(smartStyle({ branding: {} }).json)).toEqual({
      color_background: '#F5F7F9',
      color_error: '#B42318',
      color_highlight: '#0A6375',
      color_modal_backdrop: 'rgba(15,23,30,.44)',
      color_success: '#1F7D4F',
      color_text: '#17222B',
      dim_border_radius: '8px',
      dim_font_size: '16px',
      dim_spacing_size: '20px',
      font_family_body: fonts,
      font_family_heading: fonts,
    });
    expect(smartStyle({ branding: { accentColor: '#123456' } }).json).toContain('"color_highlight":"#123456"');
  });

  it('has an address that changes with its content', () => {
    const [usual, own] = [smartStyle({ branding: {} }), smartStyle({ branding: { accentColor: '#123456' } })];
    const version = createHash('sha256').update(usual.json).digest('base64url').slice(0, 16);
    expect(usual.path).toBe(`/smart-style/${version}.json`);
    expect(own.path).not.toBe(usual.path);
    expect(smartStyleUrl({ server: { issuer }, branding: {} })).toBe(issuer + usual.path);
  });
});
