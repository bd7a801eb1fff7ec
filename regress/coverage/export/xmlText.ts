/** Text in attributes and elements of XML and HTML. */
export function xmlText(text: string): string {
  return (
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      // Characters that XML has no way to write.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '?')
  );
}
