/** Shows the times of this package's pages in the time zone of the browser, and the date if it is not today. */
export function showLocalTimes() {
  const elements = /** @type {NodeListOf<HTMLTimeElement>} */ (document.querySelectorAll('time[data-clinician-time]'));
  for (const element of elements) {
    const time = new Date(element.dateTime);
    const isToday = time.toDateString() === new Date().toDateString();
    element.textContent = time.toLocaleString(document.documentElement.lang, {
      timeStyle: 'short',
      dateStyle: isToday ? undefined : 'medium',
    });
  }
  for (const zone of document.querySelectorAll('[data-clinician-zone]')) zone.remove();
}
