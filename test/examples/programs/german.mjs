// Non-ASCII: the texts are German.
export const german = {
  lang: 'de',

  sessionCheck: 'Sitzungsprüfung',
  signIn: 'Als medizinische Fachperson anmelden',
  signOut: 'Abmelden',
  share: 'Mit Kollegen teilen',

  continue: 'Weiter',
  tryAgain: 'Erneut versuchen',
  signInAgain: 'Erneut anmelden',
  staySignedIn: 'Angemeldet bleiben',
  useOtherAccount: 'Anderes Konto verwenden',
  backHome: 'Zur Startseite',

  signingInTitle: 'Sie werden angemeldet',
  confirmSignInTitle: 'Auf dieser Website anmelden?',
  confirmSignInText:
    'Ein Link auf einer anderen Website hat diese Anmeldung gestartet. Fahren Sie nur fort, wenn Sie sich hier anmelden möchten.',
  signedInTitle: 'Sie sind angemeldet',
  popupText:
    'Dieses Fenster schließt sich von selbst. Wenn es offen bleibt, schließen Sie es, oder fahren Sie hier fort.',
  signedInAlreadyText:
    'Diese Anmeldung ist bereits abgeschlossen. Sie können diese Seite schließen oder zur Startseite gehen.',

  pendingTitle: 'Ihre Prüfung läuft noch',
  pendingText:
    'Sie sind angemeldet. Der Anmeldedienst prüft noch, ob Sie eine medizinische Fachperson sind. Das kann bis zu drei Tage dauern. Sie können diese Seite schließen und später wiederkommen. Vielleicht müssen Sie sich dann neu anmelden.',
  checkAgain: 'Erneut prüfen',

  endedByOtherUserTitle: 'Sie sind abgemeldet',
  endedByOtherUserText:
    'In diesem Browser hat sich eine andere Person beim Anmeldedienst angemeldet. Deshalb hat diese Website Sie abgemeldet.',

  signOutTitle: 'Abmelden?',
  signOutText: 'Sie werden von dieser Website abgemeldet, und wenn möglich auch vom Anmeldedienst.',
  signingOutText: 'Sie sind von dieser Website abgemeldet. Als Nächstes meldet der Anmeldedienst Sie ab.',
  signedOutTitle: 'Sie sind abgemeldet',
  signedOutEverywhere: 'Sie sind von dieser Website und vom Anmeldedienst abgemeldet.',
  signedOutHere:
    'Sie sind von dieser Website abgemeldet. *Beim Anmeldedienst sind Sie noch angemeldet*. Um auch diese Sitzung zu beenden, melden Sie sich bei {service} ab. Schließen Sie an einem gemeinsam genutzten Computer auch alle Fenster des Browsers.',
  signedOutPerhaps:
    'Sie sind von dieser Website abgemeldet. Beim Anmeldedienst sind Sie vielleicht noch angemeldet. Schließen Sie an einem gemeinsam genutzten Computer auch den Browser.',

  deniedTitle: 'Die Anmeldung wurde nicht abgeschlossen',
  declinedText:
    'Sie oder der Anmeldedienst haben dieser Website die Anmeldung nicht erlaubt. Wenn Sie das nicht wollten, versuchen Sie es erneut.',
  requestDeniedTitle: 'Anfrage abgelehnt',
  approvalText: 'Melden Sie sich erneut an, und erlauben Sie dieser Website, was sie für diese Seite benötigt.',
  signInRefusedReason: 'Diese Website hat Ihre Anmeldung abgelehnt.',
  profileRefusedReason: 'Ihr Profil gibt keinen Zugang zu dieser Seite.',
  crossSiteReason: 'Diese Anfrage muss von einer Seite dieser Website kommen.',
  framedReason:
    'Die Anmeldung kann nicht in einem Frame angezeigt werden. Öffnen Sie diese Seite in einem eigenen Fenster.',
  userChangedReason:
    'Auf dieser Website ist eine andere Person angemeldet. Melden Sie sich zuerst ab, um sich als andere Person anzumelden.',

  signInExpiredTitle: 'Bitte melden Sie sich erneut an',
  signInExpiredText:
    'Diese Anmeldung konnte nicht abgeschlossen werden. Sie hat zu lange gedauert, ist bereits abgeschlossen, oder ihr Cookie ist blockiert. Erlauben Sie dieser Website Cookies, und beginnen Sie von vorn.',

  signInNeededTitle: 'Bitte melden Sie sich an',
  signInNeededText: 'Melden Sie sich als medizinische Fachperson an, um fortzufahren.',
  loginEndedTitle: 'Bitte melden Sie sich erneut an',
  loginEndedText: 'Ihre Anmeldung ist abgelaufen, oder diese Seite verlangt eine neue.',
  unavailableTitle: 'Bitte versuchen Sie es gleich noch einmal',
  unavailableText: 'Ein Dienst, den diese Website benötigt, ist nicht erreichbar. Das ist meist schnell vorbei.',
  requestFailedTitle: 'Das hat nicht funktioniert',
  requestFailedText:
    'Die Antwort des Anmeldedienstes hat eine Prüfung nicht bestanden, deshalb hat diese Website sie nicht verwendet. Bitte versuchen Sie es erneut. Wenn es wieder geschieht, schicken Sie den Code unten an den Betreiber dieser Website.',
  pageBrokenTitle: 'Diese Seite ist gestört',
  pageBrokenText:
    'Diese Website hat ein Problem. Sie haben nichts falsch gemacht. Bitte schicken Sie den Code unten an ihren Betreiber.',
  formNotSentTitle: 'Ihr Formular wurde nicht gesendet',
  formNotSentText:
    'Ihre Eingaben sind nicht bei dieser Website angekommen, weil Sie sich erneut anmelden müssen. Melden Sie sich in einem anderen Tab an. Kehren Sie dann zu diesem Tab und zum Formular zurück, und senden Sie es noch einmal.',
  backToForm: 'Zurück zum Formular',
  retryAfter: 'Versuchen Sie es nach {time} Uhr{zone} noch einmal.',
  errorCode: 'Fehlercode: {code}',
};
