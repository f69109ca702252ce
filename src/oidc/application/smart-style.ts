import { createHash } from 'node:crypto';
import type { Config } from '../../platform/config/config.js';

/** A style document and the address that changes with it. */
export interface SmartStyle {
  /** Path under the issuer; apps may keep what they find there for ever (`SMART 2.2 §smart_style_url`). */
  path: string;
  json: string;
}

/** How an app can match the portal's looks: the members of SMART's styling, in the colours of the sign-in pages. */
export function smartStyle({ branding }: Config): SmartStyle {
  const json = JSON.stringify({
    color_background: '#F5F7F9',
    color_error: '#B42318',
    color_highlight: branding.accentColor ?? '#0A6375',
    color_modal_backdrop: 'rgba(15,23,30,.44)',
    color_success: '#1F7D4F',
    color_text: '#17222B',
    dim_border_radius: '8px',
    dim_font_size: '16px',
    dim_spacing_size: '20px',
    font_family_body: "-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
    font_family_heading: "-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
  });
  const version = createHash('sha256').update(json).digest('base64url').slice(0, 16);
  return { path: `/smart-style/${version}.json`, json };
}

/** The `smart_style_url` of token answers. */
export function smartStyleUrl(config: Config): string {
  return config.server.issuer + smartStyle(config).path;
}
