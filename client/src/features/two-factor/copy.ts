import { t } from '../../shared/i18n/i18n.js';
import { notify } from '../../shared/notices.js';

/** Says whether it worked: browsers refuse it on pages that came without TLS, and where people forbade it. */
export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify('success', t('twoFactor.copied'));
  } catch {
    notify('error', t('twoFactor.notCopied'));
  }
}
