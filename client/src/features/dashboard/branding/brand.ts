export interface Logo {
  mimeType: string;
  base64: string;
}

/** A branding that an administrator tries; empty texts stand for the product's own. */
export interface Brand {
  organizationTitle: string;
  loginPageText: string;
  accentColor: string;
  logo?: Logo | undefined;
}

/** As the configuration limits pictures. */
const mostBytes = 256 * 1024;
const mimeTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml'];
const shownBase64 = 40;

/**
 * The lines of the configuration file, whole and as they are shown; undefined where nothing differs from the product's
 * own.
 */
export function configurationOf({ logo, ...texts }: Brand): { whole: string; shown: string } | undefined {
  const entries = Object.entries(texts).flatMap(([key, text]) => {
    const value = text.trim();
    // A text of JSON is one of YAML.
    return value === '' ? [] : [`  ${key}: ${JSON.stringify(value)}`];
  });
  if (entries.length === 0 && !logo) return undefined;
  const lines = (base64: string) =>
    logo ? ['  logo:', `    mimeType: ${logo.mimeType}`, `    base64: ${base64}`] : [];
  const yaml = (base64: string) => `${['branding:', ...entries, ...lines(base64)].join('\n')}\n`;
  const { base64 = '' } = logo ?? {};
  return {
    whole: yaml(base64),
    shown: yaml(base64.length > shownBase64 ? `${base64.slice(0, shownBase64)}…` : base64),
  };
}

/** The picture, or what is wrong with the file. */
export async function readLogo(file: File): Promise<Logo | 'logoTooLarge' | 'logoWrong'> {
  if (!mimeTypes.includes(file.type)) return 'logoWrong';
  if (file.size > mostBytes) return 'logoTooLarge';
  const address = await new Promise<string>((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => resolve('');
    reader.readAsDataURL(file);
  });
  const base64 = address.slice(address.indexOf(',') + 1);
  return base64 === '' ? 'logoWrong' : { mimeType: file.type, base64 };
}
