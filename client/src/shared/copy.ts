import { t } from './i18n/i18n.js';
import { notify } from './notices.js';

/** Says whether it worked: browsers refuse it on pages that came without TLS, and where people forbade it. */
export async function copy(text: string): Promise<void> {
  if (await copyQuietly(text)) notify('success', t('common.copied'));
}

/** The same where a success is shown in place. Returns whether it worked. */
export async function copyQuietly(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    notify('error', t('common.notCopied'));
    return false;
  }
}
