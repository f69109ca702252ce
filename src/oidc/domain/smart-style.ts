import { createHash } from 'node:crypto';

/** A style document and its path, which changes with the content. */
export interface SmartStyle {
  /** Path under the issuer; clients may cache the document for ever (`SMART 2.2 §smart_style_url`). */
  path: string;
  json: string;
}

/** SMART styling members in the colours of the sign-in pages, so that a client can match the portal's look. */
export function smartStyle({ branding }: { branding: { accentColor?: string | undefined } }): SmartStyle {
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

/** The `smart_style_url` of token responses. */
export function smartStyleUrl(config: Parameters<typeof smartStyle>[0] & { server: { issuer: string } }): string {
  return config.server.issuer + smartStyle(config).path;
}
