<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>Action</name>
    <message>
        <source>&amp;About GradStep</source>
        <translation>Ü&amp;ber GradStep</translation>
    </message>
    <message>
        <source>&amp;All Lessons…</source>
        <translation>&amp;Alle Lektionen…</translation>
    </message>
    <message>
        <source>&amp;Backward</source>
        <translation>&amp;Backward</translation>
    </message>
    <message>
        <source>&amp;Command Palette…</source>
        <translation>&amp;Befehlspalette…</translation>
    </message>
    <message>
        <source>&amp;Dark Theme</source>
        <translation>Dun&amp;kles Design</translation>
    </message>
    <message>
        <source>&amp;Explain</source>
        <translation>&amp;Erklären</translation>
    </message>
    <message>
        <source>&amp;Export as PyTorch Script…</source>
        <translation>Als PyTorch-Skript &amp;exportieren…</translation>
    </message>
    <message>
        <source>&amp;First Steps</source>
        <translation>&amp;Erste Schritte</translation>
    </message>
    <message>
        <source>&amp;Forward</source>
        <translation>&amp;Forward</translation>
    </message>
    <message>
        <source>&amp;Hold Batch</source>
        <translation>Batch festha&amp;lten</translation>
    </message>
    <message>
        <source>&amp;Into the Next Operation</source>
        <translation>&amp;In die nächste Operation hinein</translation>
    </message>
    <message>
        <source>&amp;Keyboard Shortcuts</source>
        <translation>&amp;Tastenkürzel</translation>
    </message>
    <message>
        <source>&amp;Light Theme</source>
        <translation>&amp;Helles Design</translation>
    </message>
    <message>
        <source>&amp;Make a Lesson of What Was Done…</source>
        <translation>Aus dem &amp;Getanen eine Lektion machen…</translation>
    </message>
    <message>
        <source>&amp;Memory Limit…</source>
        <translation>Spei&amp;chergrenze…</translation>
    </message>
    <message>
        <source>&amp;Messages…</source>
        <translation>&amp;Meldungen…</translation>
    </message>
    <message>
        <source>&amp;New Breakpoint</source>
        <translation>&amp;Neuer Haltepunkt</translation>
    </message>
    <message>
        <source>&amp;New…</source>
        <translation>&amp;Neu…</translation>
    </message>
    <message>
        <source>&amp;Next Lesson</source>
        <translation>&amp;Nächste Lektion</translation>
    </message>
    <message>
        <source>&amp;Open Lesson…</source>
        <translation>Lektion ö&amp;ffnen…</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>Ö&amp;ffnen…</translation>
    </message>
    <message>
        <source>&amp;Over the Next Operation</source>
        <translation>Übe&amp;r die nächste Operation hinweg</translation>
    </message>
    <message>
        <source>&amp;Overlay Sessions…</source>
        <translation>Sitzungen überl&amp;agern…</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>Pa&amp;use</translation>
    </message>
    <message>
        <source>&amp;Program Documents</source>
        <translation>&amp;Programmdokumente</translation>
    </message>
    <message>
        <source>&amp;Questions and Error Messages</source>
        <translation>&amp;Fragen und Fehlermeldungen</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>Been&amp;den</translation>
    </message>
    <message>
        <source>&amp;Restart Lesson</source>
        <translation>Lektion neu sta&amp;rten</translation>
    </message>
    <message>
        <source>&amp;Restore Layout</source>
        <translation>Layout &amp;zurücksetzen</translation>
    </message>
    <message>
        <source>&amp;Resume Check…</source>
        <translation>&amp;Fortsetzbarkeit prüfen…</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>Ausf&amp;ühren</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>&amp;Speichern</translation>
    </message>
    <message>
        <source>&amp;Step</source>
        <translation>&amp;Step</translation>
    </message>
    <message>
        <source>&amp;System Theme</source>
        <translation>&amp;Systemdesign</translation>
    </message>
    <message>
        <source>&amp;Watch {tensor}</source>
        <translation>{tensor} &amp;überwachen</translation>
    </message>
    <message>
        <source>&amp;What If…</source>
        <translation>Was &amp;wäre, wenn…</translation>
    </message>
    <message>
        <source>&amp;Write a Lesson…</source>
        <translation>Lektion &amp;schreiben…</translation>
    </message>
    <message>
        <source>&amp;Your Own Scripts</source>
        <translation>Eigene &amp;Skripte</translation>
    </message>
    <message>
        <source>&amp;Zero Grad</source>
        <translation>&amp;Zero Grad</translation>
    </message>
    <message>
        <source>Add a condition at which runs stop.</source>
        <translation>Eine Bedingung hinzufügen, bei der Läufe anhalten.</translation>
    </message>
    <message>
        <source>Add an expression whose value is shown.</source>
        <translation>Einen Ausdruck hinzufügen, dessen Wert angezeigt wird.</translation>
    </message>
    <message>
        <source>Apply the next operation.
Inside an operation, finish the current micro-step and everything in it.</source>
        <translation>Die nächste Operation anwenden.
Innerhalb einer Operation den aktuellen Mikroschritt mit allem darin abschließen.</translation>
    </message>
    <message>
        <source>Bac&amp;k One Event</source>
        <translation>Ein &amp;Ereignis zurück</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Backpropagate from the loss.
Reads the graph and frees it. Adds to .grad. Leaves data alone.</source>
        <translation>Vom Loss aus rückwärts propagieren.
Liest den Graphen und gibt ihn frei. Addiert zu .grad. Lässt data unverändert.</translation>
    </message>
    <message>
        <source>Begin a lesson with a step for each operation up to this moment, to fill in.</source>
        <translation>Eine Lektion beginnen, die für jede Operation bis hierher einen Schritt zum Ausfüllen hat.</translation>
    </message>
    <message>
        <source>Begin this lesson anew, with its program.</source>
        <translation>Diese Lektion mit ihrem Programm neu beginnen.</translation>
    </message>
    <message>
        <source>Break When {tensor} &amp;Changes</source>
        <translation>&amp;Anhalten, wenn sich {tensor} ändert</translation>
    </message>
    <message>
        <source>Break When {tensor}.g&amp;rad Changes</source>
        <translation>Anhalten, wenn sich {tensor}.g&amp;rad ändert</translation>
    </message>
    <message>
        <source>Cancel Sa&amp;ving</source>
        <translation>Speichern &amp;abbrechen</translation>
    </message>
    <message>
        <source>Check whether the run can be interrupted and resumed from a checkpoint,
and what a checkpoint of the weights alone would lose.</source>
        <translation>Prüfen, ob sich der Lauf unterbrechen und von einem Checkpoint fortsetzen lässt,
und was ein Checkpoint nur der Gewichte verlöre.</translation>
    </message>
    <message>
        <source>Choose a PyTorch script of your own, to debug or to record it.
Nothing runs before you say so.</source>
        <translation>Ein eigenes PyTorch-Skript wählen, um es zu debuggen oder aufzuzeichnen.
Nichts läuft, bevor Sie es sagen.</translation>
    </message>
    <message>
        <source>Choose a lesson; those that are done are marked.</source>
        <translation>Eine Lektion wählen; erledigte sind markiert.</translation>
    </message>
    <message>
        <source>Clear .grad of every parameter that the optimizer holds.
Reads nothing. Writes .grad (to None). Leaves data and optimizer state alone.</source>
        <translation>.grad aller Parameter löschen, die der Optimizer hält.
Liest nichts. Schreibt .grad (auf None). Lässt data und den Zustand des Optimizers unverändert.</translation>
    </message>
    <message>
        <source>Close the window.</source>
        <translation>Das Fenster schließen.</translation>
    </message>
    <message>
        <source>Compute the loss on the next batch.
Reads the batch and the parameters. Writes the loss and a new graph.
Leaves .grad alone.</source>
        <translation>Den Loss auf dem nächsten Batch berechnen.
Liest den Batch und die Parameter. Schreibt den Loss und einen neuen Graphen.
Lässt .grad unverändert.</translation>
    </message>
    <message>
        <source>Dark text on a light background.</source>
        <translation>Dunkler Text auf hellem Grund.</translation>
    </message>
    <message>
        <source>De&amp;bug Layout</source>
        <translation>Layout zum Deb&amp;uggen</translation>
    </message>
    <message>
        <source>Deb&amp;ug Script Again</source>
        <translation>Skr&amp;ipt erneut debuggen</translation>
    </message>
    <message>
        <source>Debug</source>
        <translation>Debuggen</translation>
    </message>
    <message>
        <source>Deutsch (German)</source>
        <translation>Deutsch (German)</translation>
    </message>
    <message>
        <source>Draw the losses of other sessions behind those of this run.</source>
        <translation>Die Losses anderer Sitzungen hinter denen dieses Laufs zeichnen.</translation>
    </message>
    <message>
        <source>E&amp;dit Program…</source>
        <translation>Programm &amp;bearbeiten…</translation>
    </message>
    <message>
        <source>Edit the document of the open program, and open the result.</source>
        <translation>Das Dokument des offenen Programms bearbeiten und das Ergebnis öffnen.</translation>
    </message>
    <message>
        <source>Edit the program document that could not be opened.</source>
        <translation>Das Programmdokument bearbeiten, das sich nicht öffnen ließ.</translation>
    </message>
    <message>
        <source>End the script that is debugged, and start its file as it is now, with the same
arguments, breakpoints and watches.</source>
        <translation>Das Skript beenden, das debuggt wird, und seine Datei starten, wie sie jetzt ist, mit denselben
Argumenten, Haltepunkten und Überwachungen.</translation>
    </message>
    <message>
        <source>End the script that is recorded, and keep what it has done so far.</source>
        <translation>Das Skript beenden, das aufgezeichnet wird, und behalten, was es bisher getan hat.</translation>
    </message>
    <message>
        <source>English</source>
        <translation>English</translation>
    </message>
    <message>
        <source>English, from the next start on.</source>
        <translation>Englisch, ab dem nächsten Start.</translation>
    </message>
    <message>
        <source>Enter the next operation; inside one, go to the next micro-step.
In the past, this enters the recorded operation.</source>
        <translation>In die nächste Operation hineingehen; darin zum nächsten Mikroschritt gehen.
In der Vergangenheit führt dies in die aufgezeichnete Operation.</translation>
    </message>
    <message>
        <source>Explain why the selected tensor has changed or not, what its gradient consists of,
and which optimizer holds it.</source>
        <translation>Erklären, warum sich der ausgewählte Tensor geändert hat oder nicht, woraus sein Gradient besteht
und welcher Optimizer ihn hält.</translation>
    </message>
    <message>
        <source>Export as &amp;Test…</source>
        <translation>Als &amp;Test exportieren…</translation>
    </message>
    <message>
        <source>F&amp;ull Screen</source>
        <translation>V&amp;ollbild</translation>
    </message>
    <message>
        <source>Fill the whole screen, or return to a window.</source>
        <translation>Den ganzen Bildschirm füllen oder zum Fenster zurückkehren.</translation>
    </message>
    <message>
        <source>Find any action by name.</source>
        <translation>Eine Aktion nach ihrem Namen finden.</translation>
    </message>
    <message>
        <source>Finish the current iteration, or run a whole one.</source>
        <translation>Die aktuelle Iteration abschließen oder eine ganze ausführen.</translation>
    </message>
    <message>
        <source>Finish the module or parameter that encloses this micro-step;
outside of one, finish the operation.</source>
        <translation>Das Modul oder den Parameter abschließen, zu dem dieser Mikroschritt gehört;
außerhalb davon die Operation abschließen.</translation>
    </message>
    <message>
        <source>Fix &amp;Broken Document…</source>
        <translation>Beschädigtes Dokument &amp;reparieren…</translation>
    </message>
    <message>
        <source>German, from the next start on.</source>
        <translation>Deutsch, ab dem nächsten Start.</translation>
    </message>
    <message>
        <source>Give all text the size that the desktop prefers.</source>
        <translation>Allem Text die Größe geben, die die Arbeitsumgebung vorgibt.</translation>
    </message>
    <message>
        <source>Go back one event, or one micro-step inside an operation. Nothing is lost.</source>
        <translation>Ein Ereignis zurückgehen, innerhalb einer Operation einen Mikroschritt. Nichts geht verloren.</translation>
    </message>
    <message>
        <source>Go back to the last event at which a breakpoint is hit, or to the start.</source>
        <translation>Zum letzten Ereignis zurückgehen, an dem ein Haltepunkt getroffen wird, oder zum Anfang.</translation>
    </message>
    <message>
        <source>Go back to the last event with a finding.</source>
        <translation>Zum letzten Ereignis mit einem Befund zurückgehen.</translation>
    </message>
    <message>
        <source>Go forward to the next event with a finding.</source>
        <translation>Zum nächsten Ereignis mit einem Befund vorgehen.</translation>
    </message>
    <message>
        <source>Go into Backward, whatever is next in the loop.</source>
        <translation>In Backward hineingehen, was auch immer in der Schleife als Nächstes kommt.</translation>
    </message>
    <message>
        <source>Go into Forward, whatever is next in the loop.</source>
        <translation>In Forward hineingehen, was auch immer in der Schleife als Nächstes kommt.</translation>
    </message>
    <message>
        <source>Go into Step, whatever is next in the loop.</source>
        <translation>In Step hineingehen, was auch immer in der Schleife als Nächstes kommt.</translation>
    </message>
    <message>
        <source>Go into Zero Grad, whatever is next in the loop.</source>
        <translation>In Zero Grad hineingehen, was auch immer in der Schleife als Nächstes kommt.</translation>
    </message>
    <message>
        <source>Go to the En&amp;d</source>
        <translation>Zum En&amp;de</translation>
    </message>
    <message>
        <source>Go to the S&amp;tart</source>
        <translation>Zum Anfan&amp;g</translation>
    </message>
    <message>
        <source>Go to the event that last wrote the .grad of the selected tensor.</source>
        <translation>Zu dem Ereignis gehen, das .grad des ausgewählten Tensors zuletzt geschrieben hat.</translation>
    </message>
    <message>
        <source>Go to the event that last wrote the selected tensor.</source>
        <translation>Zu dem Ereignis gehen, das den ausgewählten Tensor zuletzt geschrieben hat.</translation>
    </message>
    <message>
        <source>Go to the latest event.</source>
        <translation>Zum letzten Ereignis gehen.</translation>
    </message>
    <message>
        <source>Go to the moment before the first event.</source>
        <translation>Zu dem Moment vor dem ersten Ereignis gehen.</translation>
    </message>
    <message>
        <source>Into</source>
        <translation>Hinein</translation>
    </message>
    <message>
        <source>Into Backward</source>
        <translation>In Backward hinein</translation>
    </message>
    <message>
        <source>Into Forward</source>
        <translation>In Forward hinein</translation>
    </message>
    <message>
        <source>Into Step</source>
        <translation>In Step hinein</translation>
    </message>
    <message>
        <source>Into Zero Grad</source>
        <translation>In Zero Grad hinein</translation>
    </message>
    <message>
        <source>Le&amp;arn Layout</source>
        <translation>Layout zum Ler&amp;nen</translation>
    </message>
    <message>
        <source>Learn</source>
        <translation>Lernen</translation>
    </message>
    <message>
        <source>Learn in large type, with the pressed keys shown: for a class.</source>
        <translation>Lernen in großer Schrift, mit Anzeige der gedrückten Tasten: für eine Klasse.</translation>
    </message>
    <message>
        <source>Leave out the next operation, and go on to the one after it.</source>
        <translation>Die nächste Operation auslassen und zur übernächsten weitergehen.</translation>
    </message>
    <message>
        <source>Lessons call it {0}.</source>
        <translation>Lektionen nennen es {0}.</translation>
    </message>
    <message>
        <source>Let the optimizer update its parameters.
Reads .grad and the optimizer state. Writes data and the optimizer state.
Leaves .grad alone.</source>
        <translation>Den Optimizer seine Parameter ändern lassen.
Liest .grad und den Zustand des Optimizers. Schreibt data und den Zustand des Optimizers.
Lässt .grad unverändert.</translation>
    </message>
    <message>
        <source>Light or dark, like the desktop.</source>
        <translation>Hell oder dunkel, wie die Arbeitsumgebung.</translation>
    </message>
    <message>
        <source>Light text on a dark background.</source>
        <translation>Heller Text auf dunklem Grund.</translation>
    </message>
    <message>
        <source>Limit the memory of the states kept for going back.</source>
        <translation>Den Speicher für die Zustände begrenzen, die zum Zurückgehen aufbewahrt werden.</translation>
    </message>
    <message>
        <source>List all keyboard shortcuts.</source>
        <translation>Alle Tastenkürzel auflisten.</translation>
    </message>
    <message>
        <source>Make Backward keep the graph: loss.backward(retain_graph=True), also in runs.
A second Backward can then use it.</source>
        <translation>Backward den Graphen behalten lassen: loss.backward(retain_graph=True), auch in Läufen.
Ein zweites Backward kann ihn dann benutzen.</translation>
    </message>
    <message>
        <source>Make Forward use its last batch again instead of the next one, also in runs.</source>
        <translation>Forward seinen letzten Batch statt des nächsten benutzen lassen, auch in Läufen.</translation>
    </message>
    <message>
        <source>Make Zero Grad write zeros: optimizer.zero_grad(set_to_none=False), also in runs.
Step then still applies momentum and weight decay.</source>
        <translation>Zero Grad Nullen schreiben lassen: optimizer.zero_grad(set_to_none=False), auch in Läufen.
Step wendet dann weiterhin Momentum und Weight Decay an.</translation>
    </message>
    <message>
        <source>Make all text larger.</source>
        <translation>Allen Text vergrößern.</translation>
    </message>
    <message>
        <source>Make all text smaller.</source>
        <translation>Allen Text verkleinern.</translation>
    </message>
    <message>
        <source>Ne&amp;xt Finding</source>
        <translation>&amp;Weiter zum nächsten Befund</translation>
    </message>
    <message>
        <source>New &amp;Program…</source>
        <translation>Neues &amp;Programm…</translation>
    </message>
    <message>
        <source>New Wa&amp;tch</source>
        <translation>Neue Über&amp;wachung</translation>
    </message>
    <message>
        <source>O&amp;ut of the Operation</source>
        <translation>&amp;Aus der Operation hinaus</translation>
    </message>
    <message>
        <source>One Iter&amp;ation</source>
        <translation>Eine I&amp;teration</translation>
    </message>
    <message>
        <source>Open &amp;Finished Recording</source>
        <translation>Fertige Aufzei&amp;chnung öffnen</translation>
    </message>
    <message>
        <source>Open a lesson from a file, with its program beside it or in it.</source>
        <translation>Eine Lektion aus einer Datei öffnen, mit ihrem Programm daneben oder darin.</translation>
    </message>
    <message>
        <source>Open a program (.json), a session (.gradstep) or a script (.py).</source>
        <translation>Ein Programm (.json), eine Sitzung (.gradstep) oder ein Skript (.py) öffnen.</translation>
    </message>
    <message>
        <source>Open one of the example programs.</source>
        <translation>Eines der Beispielprogramme öffnen.</translation>
    </message>
    <message>
        <source>Open or delete what was recorded when GradStep ended unexpectedly.</source>
        <translation>Öffnen oder löschen, was aufgezeichnet war, als GradStep unerwartet beendet wurde.</translation>
    </message>
    <message>
        <source>Open the lesson that follows this one.</source>
        <translation>Die Lektion öffnen, die auf diese folgt.</translation>
    </message>
    <message>
        <source>Open the script that was recorded meanwhile.</source>
        <translation>Das Skript öffnen, das inzwischen aufgezeichnet wurde.</translation>
    </message>
    <message>
        <source>Out</source>
        <translation>Hinaus</translation>
    </message>
    <message>
        <source>Over</source>
        <translation>Darüber</translation>
    </message>
    <message>
        <source>Pause after the current operation.</source>
        <translation>Nach der aktuellen Operation anhalten.</translation>
    </message>
    <message>
        <source>Pre&amp;vious Finding</source>
        <translation>Zurück zum &amp;vorigen Befund</translation>
    </message>
    <message>
        <source>Prese&amp;nt Layout</source>
        <translation>Layout zum &amp;Vorführen</translation>
    </message>
    <message>
        <source>Present</source>
        <translation>Vorführen</translation>
    </message>
    <message>
        <source>Put every dock of the layout back in its default place.</source>
        <translation>Jeden Bereich des Layouts an seinen ursprünglichen Platz zurücksetzen.</translation>
    </message>
    <message>
        <source>R&amp;emove Overlays</source>
        <translation>Überlagerungen &amp;entfernen</translation>
    </message>
    <message>
        <source>Re&amp;cover Session…</source>
        <translation>Sitzung &amp;wiederherstellen…</translation>
    </message>
    <message>
        <source>Read answers to frequent questions, with an example program for each.</source>
        <translation>Antworten auf häufige Fragen lesen, jede mit einem Beispielprogramm.</translation>
    </message>
    <message>
        <source>Read how a program document is written, and everything it may contain.</source>
        <translation>Lesen, wie ein Programmdokument geschrieben wird und was es alles enthalten kann.</translation>
    </message>
    <message>
        <source>Read how to debug and record a PyTorch script, and what can be done with it.</source>
        <translation>Lesen, wie man ein PyTorch-Skript debuggt und aufzeichnet und was sich damit tun lässt.</translation>
    </message>
    <message>
        <source>Read what the four calls do, where to look, and what the terms mean.</source>
        <translation>Lesen, was die vier Aufrufe tun, wo man hinschaut und was die Begriffe bedeuten.</translation>
    </message>
    <message>
        <source>Remove the losses of other seeds and sessions from the plots.</source>
        <translation>Die Losses anderer Seeds und Sitzungen aus den Plots entfernen.</translation>
    </message>
    <message>
        <source>Replay the following events on a new branch, with operations skipped, inserted or
moved, or values changed. The current branch stays as it is.</source>
        <translation>Die folgenden Ereignisse auf einem neuen Zweig wiederholen und dabei Operationen überspringen,
einfügen oder verschieben oder Werte ändern. Der aktuelle Zweig bleibt, wie er ist.</translation>
    </message>
    <message>
        <source>Reset Zoom</source>
        <translation>Zoom zurücksetzen</translation>
    </message>
    <message>
        <source>Restore Removed &amp;Branch</source>
        <translation>Entfernten &amp;Zweig wiederherstellen</translation>
    </message>
    <message>
        <source>Restore the branch that was removed last, with all its events.
Removed branches are kept until the program is closed.</source>
        <translation>Den zuletzt entfernten Zweig mit allen seinen Ereignissen wiederherstellen.
Entfernte Zweige bleiben erhalten, bis das Programm geschlossen wird.</translation>
    </message>
    <message>
        <source>Retain &amp;Graph</source>
        <translation>Gra&amp;ph behalten</translation>
    </message>
    <message>
        <source>Run Ba&amp;ck</source>
        <translation>Rüc&amp;kwärts ausführen</translation>
    </message>
    <message>
        <source>Run Scr&amp;ipt…</source>
        <translation>S&amp;kript ausführen…</translation>
    </message>
    <message>
        <source>Run Severa&amp;l Iterations…</source>
        <translation>&amp;Mehrere Iterationen ausführen…</translation>
    </message>
    <message>
        <source>Run Until It&amp;eration…</source>
        <translation>Bis zu Iteration ausfü&amp;hren…</translation>
    </message>
    <message>
        <source>Run a number of iterations, then pause.</source>
        <translation>Eine Anzahl Iterationen ausführen, dann anhalten.</translation>
    </message>
    <message>
        <source>Run the program with four other seeds, for as many iterations as are complete,
and draw their losses behind those of this run.</source>
        <translation>Das Programm mit vier anderen Seeds ausführen, für so viele Iterationen, wie abgeschlossen sind,
und ihre Losses hinter denen dieses Laufs zeichnen.</translation>
    </message>
    <message>
        <source>Run the program's loop until a breakpoint; F5 again pauses it.</source>
        <translation>Die Schleife des Programms ausführen, bis zu einem Haltepunkt; nochmals F5 hält sie an.</translation>
    </message>
    <message>
        <source>Run until an iteration is done, or a breakpoint is hit.</source>
        <translation>Ausführen, bis eine Iteration abgeschlossen ist oder ein Haltepunkt getroffen wird.</translation>
    </message>
    <message>
        <source>Run with Other &amp;Seeds</source>
        <translation>Mit anderen &amp;Seeds ausführen</translation>
    </message>
    <message>
        <source>S&amp;how Data and Fit</source>
        <translation>&amp;Daten und Fit anzeigen</translation>
    </message>
    <message>
        <source>Save &amp;As…</source>
        <translation>Speichern &amp;unter…</translation>
    </message>
    <message>
        <source>Save as a session under another name.</source>
        <translation>Als Sitzung unter einem anderen Namen speichern.</translation>
    </message>
    <message>
        <source>Save the program with its whole history as a session.</source>
        <translation>Das Programm mit seiner ganzen Geschichte als Sitzung speichern.</translation>
    </message>
    <message>
        <source>Sho&amp;w Landscape</source>
        <translation>&amp;Landschaft anzeigen</translation>
    </message>
    <message>
        <source>Show &amp;Findings</source>
        <translation>Be&amp;funde anzeigen</translation>
    </message>
    <message>
        <source>Show &amp;Plots</source>
        <translation>&amp;Plots anzeigen</translation>
    </message>
    <message>
        <source>Show Computation &amp;Graph</source>
        <translation>Berechnungs&amp;graph anzeigen</translation>
    </message>
    <message>
        <source>Show all messages so far.</source>
        <translation>Alle bisherigen Meldungen anzeigen.</translation>
    </message>
    <message>
        <source>Show the curves of losses, gradients and parameters.</source>
        <translation>Die Kurven von Losses, Gradienten und Parametern anzeigen.</translation>
    </message>
    <message>
        <source>Show the data, and what the model predicts for them.</source>
        <translation>Die Daten anzeigen, und was das Modell für sie vorhersagt.</translation>
    </message>
    <message>
        <source>Show the loss over two directions of the parameters, and the runs in it.</source>
        <translation>Den Loss über zwei Richtungen der Parameter anzeigen, und die Läufe darin.</translation>
    </message>
    <message>
        <source>Show the operations recorded on this branch as a PyTorch script, to copy or save.
With none recorded, the script is the program's loop.</source>
        <translation>Die Operationen, die auf diesem Zweig aufgezeichnet sind, als PyTorch-Skript zum Kopieren oder Speichern anzeigen.
Wenn keine aufgezeichnet sind, ist das Skript die Schleife des Programms.</translation>
    </message>
    <message>
        <source>Show the operations recorded on this branch as a test that repeats them in PyTorch
and compares the losses with the recorded ones.</source>
        <translation>Die Operationen, die auf diesem Zweig aufgezeichnet sind, als Test anzeigen, der sie in PyTorch wiederholt
und die Losses mit den aufgezeichneten vergleicht.</translation>
    </message>
    <message>
        <source>Show the recorded graph of a loss.</source>
        <translation>Den aufgezeichneten Graphen eines Loss anzeigen.</translation>
    </message>
    <message>
        <source>Show the version and licence of GradStep.</source>
        <translation>Version und Lizenz von GradStep anzeigen.</translation>
    </message>
    <message>
        <source>Show what is wrong with the loop, and at which events.</source>
        <translation>Anzeigen, was an der Schleife falsch ist und bei welchen Ereignissen.</translation>
    </message>
    <message>
        <source>Skip the Next Operation</source>
        <translation>Nächste Operation überspringen</translation>
    </message>
    <message>
        <source>Stop Recordin&amp;g</source>
        <translation>Aufzeichnun&amp;g beenden</translation>
    </message>
    <message>
        <source>Stop a run when the .grad of the selected tensor changes.</source>
        <translation>Einen Lauf anhalten, wenn sich .grad des ausgewählten Tensors ändert.</translation>
    </message>
    <message>
        <source>Stop a run when the values of the selected tensor change.</source>
        <translation>Einen Lauf anhalten, wenn sich die Werte des ausgewählten Tensors ändern.</translation>
    </message>
    <message>
        <source>Stop writing the session; its file stays as it was.</source>
        <translation>Die Sitzung nicht weiter schreiben; ihre Datei bleibt, wie sie war.</translation>
    </message>
    <message>
        <source>System Language</source>
        <translation>Systemsprache</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>The docks for finding a mistake in a training loop.</source>
        <translation>Die Bereiche, um einen Fehler in einer Trainingsschleife zu finden.</translation>
    </message>
    <message>
        <source>The language of the desktop, from the next start on.</source>
        <translation>Die Sprache der Arbeitsumgebung, ab dem nächsten Start.</translation>
    </message>
    <message>
        <source>The lesson, the script, the tensors and one plot.</source>
        <translation>Die Lektion, das Skript, die Tensoren und ein Plot.</translation>
    </message>
    <message>
        <source>There are no events yet: apply an operation first.</source>
        <translation>Es gibt noch keine Ereignisse: Wenden Sie zuerst eine Operation an.</translation>
    </message>
    <message>
        <source>Watch the gradient of the selected tensor.</source>
        <translation>Den Gradienten des ausgewählten Tensors überwachen.</translation>
    </message>
    <message>
        <source>Watch the values of the selected tensor.</source>
        <translation>Die Werte des ausgewählten Tensors überwachen.</translation>
    </message>
    <message>
        <source>Watch {tensor}.&amp;grad</source>
        <translation>{tensor}.&amp;grad überwachen</translation>
    </message>
    <message>
        <source>Wh&amp;o Changed {tensor}?</source>
        <translation>Wer hat {tensor} &amp;zuletzt geändert?</translation>
    </message>
    <message>
        <source>Who Change&amp;d {tensor}.grad?</source>
        <translation>Wer ha&amp;t {tensor}.grad zuletzt geändert?</translation>
    </message>
    <message>
        <source>Write a lesson, or change the one that is open; what a learner reads is shown
as you type.</source>
        <translation>Eine Lektion schreiben oder die offene ändern; was Lernende lesen, wird beim Tippen
angezeigt.</translation>
    </message>
    <message>
        <source>Write a program, or start from an example; it is checked as you type.</source>
        <translation>Ein Programm schreiben oder mit einem Beispiel beginnen; es wird beim Tippen geprüft.</translation>
    </message>
    <message>
        <source>Zero Grad &amp;Writes Zeros</source>
        <translation>Zer&amp;o Grad schreibt Nullen</translation>
    </message>
    <message>
        <source>Zoom In</source>
        <translation>Vergrößern</translation>
    </message>
    <message>
        <source>Zoom Out</source>
        <translation>Verkleinern</translation>
    </message>
</context>
<context>
    <name>ArrayTable</name>
    <message>
        <source>Numbers</source>
        <translation>Zahlen</translation>
    </message>
</context>
<context>
    <name>ArrayTableModel</name>
    <message>
        <source>Double-click to edit.</source>
        <translation>Zum Bearbeiten doppelklicken.</translation>
    </message>
</context>
<context>
    <name>ArrayView</name>
    <message>
        <source>Element under the pointer</source>
        <translation>Element unter dem Zeiger</translation>
    </message>
    <message>
        <source>Point at an element to see its value</source>
        <translation>Zeigen Sie auf ein Element, um seinen Wert zu sehen</translation>
    </message>
    <message>
        <source>Slice along the leading axes</source>
        <translation>Schnitt entlang der vorderen Achsen</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>leer</translation>
    </message>
    <message>
        <source>slice </source>
        <translation>Schnitt </translation>
    </message>
</context>
<context>
    <name>BranchController</name>
    <message>
        <source>compare</source>
        <translation>zu vergleichen</translation>
    </message>
    <message>
        <source>export</source>
        <translation>zu exportieren</translation>
    </message>
    <message>
        <source>fetch curves</source>
        <translation>Kurven zu holen</translation>
    </message>
    <message>
        <source>find a remedy</source>
        <translation>ein Mittel zu finden</translation>
    </message>
    <message>
        <source>open the edited program</source>
        <translation>das bearbeitete Programm zu öffnen</translation>
    </message>
    <message>
        <source>overlay sessions</source>
        <translation>Sitzungen zu überlagern</translation>
    </message>
    <message>
        <source>remove a branch</source>
        <translation>einen Zweig zu entfernen</translation>
    </message>
    <message>
        <source>remove overlays</source>
        <translation>Überlagerungen zu entfernen</translation>
    </message>
    <message>
        <source>rename a branch</source>
        <translation>einen Zweig umzubenennen</translation>
    </message>
    <message>
        <source>replay the what-if</source>
        <translation>das Was-wäre-wenn abzuspielen</translation>
    </message>
    <message>
        <source>restore a branch</source>
        <translation>einen Zweig wiederherzustellen</translation>
    </message>
    <message>
        <source>run the resume check</source>
        <translation>die Fortsetzbarkeit zu prüfen</translation>
    </message>
    <message>
        <source>run with other seeds</source>
        <translation>mit anderen Seeds auszuführen</translation>
    </message>
    <message>
        <source>switch to a branch</source>
        <translation>zu einem Zweig zu wechseln</translation>
    </message>
</context>
<context>
    <name>BranchesView</name>
    <message>
        <source>A change in the past starts a branch.</source>
        <translation>Eine Änderung in der Vergangenheit beginnt einen Zweig.</translation>
    </message>
    <message>
        <source>An operation applied in the past starts a branch. So does What If.</source>
        <translation>Eine Operation in der Vergangenheit beginnt einen Zweig, ebenso „Was wäre, wenn“.</translation>
    </message>
    <message>
        <source>Branch</source>
        <translation>Zweig</translation>
    </message>
    <message>
        <source>Branches</source>
        <translation>Zweige</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Compare the current branch with the selected one, event by event</source>
        <translation>Den aktuellen Zweig mit dem ausgewählten vergleichen, Ereignis für Ereignis</translation>
    </message>
    <message>
        <source>Complete iterations</source>
        <translation>Abgeschlossene Iterationen</translation>
    </message>
    <message>
        <source>Ended</source>
        <translation>Beendet</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>Ereignisse</translation>
    </message>
    <message>
        <source>Events, including those shared with the parent</source>
        <translation>Ereignisse, auch die mit dem übergeordneten Zweig gemeinsamen</translation>
    </message>
    <message>
        <source>Forked From</source>
        <translation>Abgezweigt von</translation>
    </message>
    <message>
        <source>Go to the last event of the selected branch (Enter)</source>
        <translation>Zum letzten Ereignis des ausgewählten Zweigs gehen (Eingabe)</translation>
    </message>
    <message>
        <source>Held</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Iterations</source>
        <translation>Iterationen</translation>
    </message>
    <message>
        <source>Last Loss</source>
        <translation>Letzter Loss</translation>
    </message>
    <message>
        <source>Process</source>
        <translation>Prozess</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Remove the selected branch (Del); it can be restored</source>
        <translation>Den ausgewählten Zweig entfernen (Entf); er lässt sich wiederherstellen</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Rename the selected branch (F2)</source>
        <translation>Den ausgewählten Zweig umbenennen (F2)</translation>
    </message>
    <message>
        <source>Switch To</source>
        <translation>Wechseln</translation>
    </message>
    <message>
        <source>The colour of its loss in Plots and Compare</source>
        <translation>Die Farbe seines Loss in „Plots“ und „Vergleichen“</translation>
    </message>
    <message>
        <source>The current branch is bold</source>
        <translation>Der aktuelle Zweig ist fett</translation>
    </message>
    <message>
        <source>The parent branch, and the last event in common</source>
        <translation>Der übergeordnete Zweig und das letzte gemeinsame Ereignis</translation>
    </message>
    <message>
        <source>The program's first loss in the last complete iteration</source>
        <translation>Der erste Loss des Programms in der letzten vollständigen Iteration</translation>
    </message>
    <message>
        <source>There is only one branch.

Go back and apply another operation, or use Experiment &gt; What If…: the result becomes a new branch and is listed here.</source>
        <translation>Es gibt nur einen Zweig.

Gehen Sie zurück und wenden Sie eine andere Operation an, oder benutzen Sie Experiment &gt; Was wäre, wenn…: Das Ergebnis wird ein neuer Zweig und erscheint hier.</translation>
    </message>
    <message>
        <source>There is only one branch.

{0}</source>
        <translation>Es gibt nur einen Zweig.

{0}</translation>
    </message>
    <message>
        <source>Whether the script can be continued on this branch: its process is held</source>
        <translation>Ob das Skript auf diesem Zweig fortgesetzt werden kann: Sein Prozess ist angehalten</translation>
    </message>
    <message>
        <source>{name}, after {event}</source>
        <translation>{name}, nach {event}</translation>
    </message>
</context>
<context>
    <name>BreakpointController</name>
    <message>
        <source>find who changed {0}</source>
        <translation>zu finden, wer {0} geändert hat</translation>
    </message>
    <message>
        <source>remove a breakpoint</source>
        <translation>einen Haltepunkt zu entfernen</translation>
    </message>
    <message>
        <source>remove a watch</source>
        <translation>eine Überwachung zu entfernen</translation>
    </message>
    <message>
        <source>run back</source>
        <translation>rückwärts auszuführen</translation>
    </message>
    <message>
        <source>set a breakpoint</source>
        <translation>einen Haltepunkt zu setzen</translation>
    </message>
    <message>
        <source>set a watch</source>
        <translation>eine Überwachung zu setzen</translation>
    </message>
</context>
<context>
    <name>BreakpointRow</name>
    <message>
        <source>Condition</source>
        <translation>Bedingung</translation>
    </message>
    <message>
        <source>Enable or disable this breakpoint</source>
        <translation>Diesen Haltepunkt ein- oder ausschalten</translation>
    </message>
    <message>
        <source>Enabled</source>
        <translation>Eingeschaltet</translation>
    </message>
    <message>
        <source>Error in the condition</source>
        <translation>Fehler in der Bedingung</translation>
    </message>
    <message>
        <source>Hits</source>
        <translation>Treffer</translation>
    </message>
    <message>
        <source>Log message</source>
        <translation>Protokollzeile</translation>
    </message>
    <message>
        <source>Log this message instead of stopping, such as  {iteration}: loss {loss}</source>
        <translation>Diese Zeile protokollieren, statt anzuhalten, etwa  {iteration}: loss {loss}</translation>
    </message>
    <message>
        <source>Remove this breakpoint</source>
        <translation>Diesen Haltepunkt entfernen</translation>
    </message>
    <message>
        <source>Stop from hit number</source>
        <translation>Anhalten ab Treffer Nummer</translation>
    </message>
    <message>
        <source>Stop from this hit on; earlier hits are only counted</source>
        <translation>Ab diesem Treffer anhalten; frühere werden nur gezählt</translation>
    </message>
    <message>
        <source>stops</source>
        <translation>hält an</translation>
    </message>
    <message>
        <source>{0} hit</source>
        <translation>{0} Treffer</translation>
    </message>
    <message>
        <source>{0} hits</source>
        <translation>{0} Treffer</translation>
    </message>
</context>
<context>
    <name>BreakpointsView</name>
    <message>
        <source>A run always stops at a failed operation; Run Back then stops there too</source>
        <translation>Ein Lauf hält bei einer fehlgeschlagenen Operation immer an; „Rückwärts ausführen“ hält dann auch dort</translation>
    </message>
    <message>
        <source>A run, forward or backward, stops where a condition holds. Enter one above, or check what to stop at.</source>
        <translation>Ein Lauf, vorwärts oder rückwärts, hält an, wo eine Bedingung erfüllt ist. Geben Sie oben eine ein, oder wählen Sie aus, wobei angehalten wird.</translation>
    </message>
    <message>
        <source>Breakpoint log</source>
        <translation>Protokoll der Haltepunkte</translation>
    </message>
    <message>
        <source>Breakpoints</source>
        <translation>Haltepunkte</translation>
    </message>
    <message>
        <source>Condition</source>
        <translation>Bedingung</translation>
    </message>
    <message>
        <source>Evaluated</source>
        <translation>Ausgewertet</translation>
    </message>
    <message>
        <source>Event</source>
        <translation>Ereignis</translation>
    </message>
    <message>
        <source>Failed Operation</source>
        <translation>Operation schlägt fehl</translation>
    </message>
    <message>
        <source>From Hit</source>
        <translation>Ab Treffer</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>Log Instead of Stopping</source>
        <translation>Protokoll statt Halt</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Meldung</translation>
    </message>
    <message>
        <source>NaN or Inf</source>
        <translation>NaN oder Inf</translation>
    </message>
    <message>
        <source>New Finding</source>
        <translation>Neuer Befund</translation>
    </message>
    <message>
        <source>New condition</source>
        <translation>Neue Bedingung</translation>
    </message>
    <message>
        <source>New condition, such as  loss &gt; 10  or  changed("model.0.weight.grad")</source>
        <translation>Neue Bedingung, etwa  loss &gt; 10  oder  changed("model.0.weight.grad")</translation>
    </message>
    <message>
        <source>Stop at the first event of each finding</source>
        <translation>Beim ersten Ereignis jedes Befunds anhalten</translation>
    </message>
    <message>
        <source>Stop at:</source>
        <translation>Anhalten bei:</translation>
    </message>
    <message>
        <source>Stop when a NaN or an Inf is written</source>
        <translation>Anhalten, wenn ein NaN oder ein Inf geschrieben wird</translation>
    </message>
    <message>
        <source>Syntax of Conditions and Watches</source>
        <translation>Syntax der Bedingungen und Überwachungen</translation>
    </message>
</context>
<context>
    <name>Canvas</name>
    <message>
        <source>iteration</source>
        <translation>Iteration</translation>
    </message>
</context>
<context>
    <name>Centre</name>
    <message>
        <source>Plots or graph</source>
        <translation>Plots oder Graph</translation>
    </message>
</context>
<context>
    <name>ChangePage</name>
    <message>
        <source>Insert</source>
        <translation>Einfügen</translation>
    </message>
    <message>
        <source>Move</source>
        <translation>Verschieben</translation>
    </message>
    <message>
        <source>Set</source>
        <translation>Setzen</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>Überspringen</translation>
    </message>
    <message>
        <source>the end</source>
        <translation>das Ende</translation>
    </message>
</context>
<context>
    <name>ChangePanel</name>
    <message>
        <source>Explanation</source>
        <translation>Erklärung</translation>
    </message>
    <message>
        <source>Factors of the change</source>
        <translation>Faktoren der Änderung</translation>
    </message>
    <message>
        <source>Norm</source>
        <translation>Norm</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>Teil</translation>
    </message>
    <message>
        <source>Parts of the change</source>
        <translation>Teile der Änderung</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>total change</source>
        <translation>gesamte Änderung</translation>
    </message>
</context>
<context>
    <name>ChangeRow</name>
    <message>
        <source>Kind of change</source>
        <translation>Art der Änderung</translation>
    </message>
    <message>
        <source>Remove this change</source>
        <translation>Diese Änderung entfernen</translation>
    </message>
</context>
<context>
    <name>CodeView</name>
    <message>
        <source>Break at Line {0}</source>
        <translation>Haltepunkt in Zeile {0}</translation>
    </message>
    <message>
        <source>Breakpoints at {0}.</source>
        <translation>Haltepunkte in {0}.</translation>
    </message>
    <message>
        <source>Line {0} failed.</source>
        <translation>Zeile {0} ist fehlgeschlagen.</translation>
    </message>
    <message>
        <source>Line {0} is next.</source>
        <translation>Zeile {0} kommt als Nächstes.</translation>
    </message>
    <message>
        <source>Line {0} just ran.</source>
        <translation>Zeile {0} wurde gerade ausgeführt.</translation>
    </message>
    <message>
        <source>Remove Breakpoint at Line {0}</source>
        <translation>Haltepunkt in Zeile {0} entfernen</translation>
    </message>
    <message>
        <source>Remove the breakpoint</source>
        <translation>Den Haltepunkt entfernen</translation>
    </message>
    <message>
        <source>Run the next operation</source>
        <translation>Die nächste Operation ausführen</translation>
    </message>
    <message>
        <source>Run to Line {0}</source>
        <translation>Bis Zeile {0} ausführen</translation>
    </message>
    <message>
        <source>Script</source>
        <translation>Skript</translation>
    </message>
    <message>
        <source>Stop before this line</source>
        <translation>Vor dieser Zeile anhalten</translation>
    </message>
    <message>
        <source>Stop before this line, if it does an operation, such as Backward</source>
        <translation>Vor dieser Zeile anhalten, wenn sie eine Operation ausführt, etwa Backward</translation>
    </message>
    <message>
        <source>Switched off: {0}.</source>
        <translation>Ausgeschaltet: {0}.</translation>
    </message>
</context>
<context>
    <name>ColorBar</name>
    <message>
        <source>Key of the colours</source>
        <translation>Farbskala</translation>
    </message>
</context>
<context>
    <name>CommandPalette</name>
    <message>
        <source>Command palette</source>
        <translation>Befehlspalette</translation>
    </message>
    <message>
        <source>Matching actions</source>
        <translation>Passende Aktionen</translation>
    </message>
    <message>
        <source>Search actions</source>
        <translation>Aktionen suchen</translation>
    </message>
</context>
<context>
    <name>Commands</name>
    <message>
        <source>debug the script again</source>
        <translation>debuggen Sie das Skript noch einmal</translation>
    </message>
    <message>
        <source>event {number} failed: {message}</source>
        <translation>Ereignis {number} ist fehlgeschlagen: {message}</translation>
    </message>
    <message>
        <source>go back, or open another</source>
        <translation>gehen Sie zurück, oder öffnen Sie ein anderes</translation>
    </message>
    <message>
        <source>go to a later event, and ask there</source>
        <translation>gehen Sie zu einem späteren Ereignis, und fragen Sie dort</translation>
    </message>
    <message>
        <source>no event up to here has written {address}</source>
        <translation>kein Ereignis bis hierher hat {address} geschrieben</translation>
    </message>
    <message>
        <source>press one of the four buttons instead</source>
        <translation>drücken Sie stattdessen einen der vier Knöpfe</translation>
    </message>
    <message>
        <source>replay the what-if to its end</source>
        <translation>das Was-wäre-wenn bis zum Ende abzuspielen</translation>
    </message>
    <message>
        <source>there is no next operation</source>
        <translation>es gibt keine nächste Operation</translation>
    </message>
    <message>
        <source>this program has no loop</source>
        <translation>dieses Programm hat keine Schleife</translation>
    </message>
</context>
<context>
    <name>CompareView</name>
    <message>
        <source>Both branches at the same iterations</source>
        <translation>Beide Zweige bei denselben Iterationen</translation>
    </message>
    <message>
        <source>Complete iterations on both branches</source>
        <translation>Abgeschlossene Iterationen auf beiden Zweigen</translation>
    </message>
    <message>
        <source>Distance</source>
        <translation>Abstand</translation>
    </message>
    <message>
        <source>Euclidean distance between all tensors of both, except gradients</source>
        <translation>Euklidischer Abstand zwischen allen Tensoren beider, ohne Gradienten</translation>
    </message>
    <message>
        <source>First difference</source>
        <translation>Erster Unterschied</translation>
    </message>
    <message>
        <source>Go to Event {number}</source>
        <translation>Zu Ereignis {number} gehen</translation>
    </message>
    <message>
        <source>Iteration</source>
        <translation>Iteration</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>Metriken</translation>
    </message>
    <message>
        <source>Neither branch has a loss yet.</source>
        <translation>Noch hat keiner der Zweige einen Loss.</translation>
    </message>
    <message>
        <source>Neither branch has a metric yet.</source>
        <translation>Noch hat keiner der Zweige eine Metrik.</translation>
    </message>
    <message>
        <source>No branches compared yet.

Select a branch in Branches and press Compare. Experiment &gt; Overlay Sessions… draws the losses of other recordings, and gradstep compare, in a terminal, finds where two of them differ first.</source>
        <translation>Noch keine Zweige verglichen.

Wählen Sie in „Zweige“ einen Zweig, und drücken Sie „Vergleichen“. Experiment &gt; Sitzungen überlagern… zeichnet die Losses anderer Aufzeichnungen, und gradstep compare im Terminal findet, wo sich zwei zuerst unterscheiden.</translation>
    </message>
    <message>
        <source>No branches compared yet.

Use Experiment &gt; What If…, or select a branch in Branches and press Compare.</source>
        <translation>Noch keine Zweige verglichen.

Benutzen Sie Experiment &gt; Was wäre, wenn…, oder wählen Sie einen Zweig unter „Zweige“, und drücken Sie „Vergleichen“.</translation>
    </message>
    <message>
        <source>On branch {name}</source>
        <translation>Auf Zweig {name}</translation>
    </message>
</context>
<context>
    <name>ConditionHelpDialog</name>
    <message>
        <source>A comparison with a missing value is false.</source>
        <translation>Ein Vergleich mit einem fehlenden Wert ist falsch.</translation>
    </message>
    <message>
        <source>Examples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>Syntax of Conditions and Watches</source>
        <translation>Syntax der Bedingungen und Überwachungen</translation>
    </message>
    <message>
        <source>Terms</source>
        <translation>Terme</translation>
    </message>
</context>
<context>
    <name>ConfusionMatrix</name>
    <message>
        <source>predicted</source>
        <translation>vorhergesagt</translation>
    </message>
    <message>
        <source>true</source>
        <translation>wahr</translation>
    </message>
</context>
<context>
    <name>Controller</name>
    <message>
        <source>answer a question</source>
        <translation>eine Frage zu beantworten</translation>
    </message>
    <message>
        <source>apply an operation</source>
        <translation>eine Operation anzuwenden</translation>
    </message>
    <message>
        <source>apply the next operation</source>
        <translation>die nächste Operation anzuwenden</translation>
    </message>
    <message>
        <source>attach to the ranks</source>
        <translation>sich mit den Ranks zu verbinden</translation>
    </message>
    <message>
        <source>close</source>
        <translation>zu schließen</translation>
    </message>
    <message>
        <source>fetch curves</source>
        <translation>Kurven zu holen</translation>
    </message>
    <message>
        <source>fetch values</source>
        <translation>Werte zu holen</translation>
    </message>
    <message>
        <source>free memory</source>
        <translation>Speicher freizugeben</translation>
    </message>
    <message>
        <source>go to an event</source>
        <translation>zu einem Ereignis zu gehen</translation>
    </message>
    <message>
        <source>go to an iteration</source>
        <translation>zu einer Iteration zu gehen</translation>
    </message>
    <message>
        <source>open the recording</source>
        <translation>die Aufzeichnung zu öffnen</translation>
    </message>
    <message>
        <source>open {name}</source>
        <translation>{name} zu öffnen</translation>
    </message>
    <message>
        <source>record {name}</source>
        <translation>{name} aufzuzeichnen</translation>
    </message>
    <message>
        <source>recover</source>
        <translation>wiederherzustellen</translation>
    </message>
    <message>
        <source>run</source>
        <translation>auszuführen</translation>
    </message>
    <message>
        <source>run to {0}</source>
        <translation>bis {0} auszuführen</translation>
    </message>
    <message>
        <source>run until iteration {0}</source>
        <translation>bis Iteration {0} auszuführen</translation>
    </message>
    <message>
        <source>save {name}</source>
        <translation>{name} zu speichern</translation>
    </message>
    <message>
        <source>skip the next operation</source>
        <translation>die nächste Operation zu überspringen</translation>
    </message>
    <message>
        <source>start {name}</source>
        <translation>{name} zu starten</translation>
    </message>
    <message>
        <source>step back</source>
        <translation>einen Schritt zurückzugehen</translation>
    </message>
    <message>
        <source>step into</source>
        <translation>hineinzugehen</translation>
    </message>
    <message>
        <source>step out</source>
        <translation>hinauszugehen</translation>
    </message>
    <message>
        <source>step over</source>
        <translation>einen Schritt auszuführen</translation>
    </message>
</context>
<context>
    <name>CrashDialog</name>
    <message>
        <source>&amp;Copy Report</source>
        <translation>Bericht &amp;kopieren</translation>
    </message>
    <message>
        <source>Error report</source>
        <translation>Fehlerbericht</translation>
    </message>
    <message>
        <source>GradStep ran into an internal error. The open program is unchanged: you can continue, or save it first. The report below helps to find the error. It contains none of your data except file names.</source>
        <translation>In GradStep ist ein interner Fehler aufgetreten. Das offene Programm ist unverändert: Sie können weiterarbeiten oder es vorher speichern. Der Bericht unten hilft, den Fehler zu finden. Er enthält von Ihren Daten nur Dateinamen.</translation>
    </message>
    <message>
        <source>Internal Error</source>
        <translation>Interner Fehler</translation>
    </message>
</context>
<context>
    <name>CurveChooser</name>
    <message>
        <source>'{text}' is not an element</source>
        <translation>„{text}“ ist kein Element</translation>
    </message>
    <message>
        <source>Add an element or an output</source>
        <translation>Ein Element oder eine Ausgabe hinzufügen</translation>
    </message>
    <message>
        <source>Add w[0, 3] or model.1.output</source>
        <translation>w[0, 3] oder model.1.output hinzufügen</translation>
    </message>
    <message>
        <source>An element, as name and index, with its .grad; or the norm of a layer's output. They are recorded from now on.</source>
        <translation>Ein Element, als Name und Index, mit seinem .grad; oder die Norm der Ausgabe einer Schicht. Aufgezeichnet werden sie ab jetzt.</translation>
    </message>
    <message>
        <source>Curves to draw</source>
        <translation>Zu zeichnende Kurven</translation>
    </message>
    <message>
        <source>Filter tensors and layers</source>
        <translation>Tensoren und Schichten filtern</translation>
    </message>
    <message>
        <source>Layer Outputs</source>
        <translation>Ausgaben der Schichten</translation>
    </message>
    <message>
        <source>Losses</source>
        <translation>Losses</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>Metriken</translation>
    </message>
    <message>
        <source>There are no layers whose outputs can be recorded</source>
        <translation>Es gibt keine Schichten, deren Ausgaben aufgezeichnet werden können</translation>
    </message>
    <message>
        <source>There is no layer '{name}'</source>
        <translation>Es gibt keine Schicht „{name}“</translation>
    </message>
    <message>
        <source>There is no tensor '{name}'</source>
        <translation>Es gibt keinen Tensor „{name}“</translation>
    </message>
    <message>
        <source>enter a tensor and an index, such as model.0.weight[0,3]</source>
        <translation>geben Sie einen Tensor und einen Index ein, etwa model.0.weight[0,3]</translation>
    </message>
    <message>
        <source>its shape is {shape}</source>
        <translation>seine Form ist {shape}</translation>
    </message>
    <message>
        <source>norm</source>
        <translation>Norm</translation>
    </message>
    <message>
        <source>use a name from the list, such as model.0.weight[0,3]</source>
        <translation>benutzen Sie einen Namen aus der Liste, etwa model.0.weight[0,3]</translation>
    </message>
    <message>
        <source>use a name under Layer Outputs, such as model.0.output</source>
        <translation>benutzen Sie einen Namen unter „Ausgaben der Schichten“, etwa model.0.output</translation>
    </message>
    <message>
        <source>value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>{name} has no such element</source>
        <translation>{name} hat kein solches Element</translation>
    </message>
</context>
<context>
    <name>DataView</name>
    <message>
        <source>A sample of {0} of {1} rows.</source>
        <translation>Eine Stichprobe von {0} von {1} Zeilen.</translation>
    </message>
    <message>
        <source>All Rows</source>
        <translation>Alle Zeilen</translation>
    </message>
    <message>
        <source>Confusion Matrix</source>
        <translation>Konfusionsmatrix</translation>
    </message>
    <message>
        <source>Confusion matrix</source>
        <translation>Konfusionsmatrix</translation>
    </message>
    <message>
        <source>Current Batch</source>
        <translation>Aktueller Batch</translation>
    </message>
    <message>
        <source>Data and predictions</source>
        <translation>Daten und Vorhersagen</translation>
    </message>
    <message>
        <source>Held-Out Rows</source>
        <translation>Zurückgehaltene Zeilen</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <source>Images with predictions</source>
        <translation>Bilder mit Vorhersagen</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>Linie</translation>
    </message>
    <message>
        <source>Loss whose output is shown</source>
        <translation>Loss, dessen Ausgabe gezeigt wird</translation>
    </message>
    <message>
        <source>Open a program to see what its model predicts.</source>
        <translation>Öffnen Sie ein Programm, um zu sehen, was sein Modell vorhersagt.</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>Predicted against True</source>
        <translation>Vorhersage gegen Wahrheit</translation>
    </message>
    <message>
        <source>Predicted with the parameters of this moment, in evaluation mode: Dropout does nothing, and BatchNorm uses its running statistics. The program is not touched.</source>
        <translation>Vorhergesagt mit den Parametern dieses Moments, im Auswertungsmodus: Dropout tut nichts, und BatchNorm benutzt seine laufenden Statistiken. Das Programm wird nicht berührt.</translation>
    </message>
    <message>
        <source>Predictions in words</source>
        <translation>Vorhersagen in Worten</translation>
    </message>
    <message>
        <source>Regions</source>
        <translation>Regionen</translation>
    </message>
    <message>
        <source>Right: {0}.</source>
        <translation>Richtig: {0}.</translation>
    </message>
    <message>
        <source>Root mean squared error: {0}.</source>
        <translation>Wurzel des mittleren quadratischen Fehlers: {0}.</translation>
    </message>
    <message>
        <source>Row {0} ({1}): true {2}, predicted {3}.</source>
        <translation>Zeile {0} ({1}): wahr {2}, vorhergesagt {3}.</translation>
    </message>
    <message>
        <source>Row {0} ({1}): true {2}, predicted {3}: {4}.</source>
        <translation>Zeile {0} ({1}): wahr {2}, vorhergesagt {3}: {4}.</translation>
    </message>
    <message>
        <source>Rows to show</source>
        <translation>Gezeigte Zeilen</translation>
    </message>
    <message>
        <source>Surface</source>
        <translation>Fläche</translation>
    </message>
    <message>
        <source>The loss whose output is compared with its targets</source>
        <translation>Der Loss, dessen Ausgabe mit seinen Zielwerten verglichen wird</translation>
    </message>
    <message>
        <source>Training Rows</source>
        <translation>Trainingszeilen</translation>
    </message>
    <message>
        <source>Which rows of the data are shown</source>
        <translation>Welche Zeilen der Daten gezeigt werden</translation>
    </message>
    <message>
        <source>Wrong Ones</source>
        <translation>Falsche</translation>
    </message>
    <message>
        <source>class {0}</source>
        <translation>Klasse {0}</translation>
    </message>
    <message>
        <source>data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>held out</source>
        <translation>zurückgehalten</translation>
    </message>
    <message>
        <source>in the current batch</source>
        <translation>im aktuellen Batch</translation>
    </message>
    <message>
        <source>of these in the current batch</source>
        <translation>davon im aktuellen Batch</translation>
    </message>
    <message>
        <source>predicted</source>
        <translation>vorhergesagt</translation>
    </message>
    <message>
        <source>predicted exactly</source>
        <translation>genau vorhergesagt</translation>
    </message>
    <message>
        <source>predicted, and in points true: {0} to {1}</source>
        <translation>vorhergesagt, und als Punkte wahr: {0} bis {1}</translation>
    </message>
    <message>
        <source>probability of {0}</source>
        <translation>Wahrscheinlichkeit von {0}</translation>
    </message>
    <message>
        <source>right</source>
        <translation>richtig</translation>
    </message>
    <message>
        <source>target</source>
        <translation>Zielwert</translation>
    </message>
    <message>
        <source>training</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>true</source>
        <translation>wahr</translation>
    </message>
    <message>
        <source>wrong</source>
        <translation>falsch</translation>
    </message>
    <message>
        <source>wrong: predicted, and what it is</source>
        <translation>falsch: vorhergesagt, und was es ist</translation>
    </message>
    <message>
        <source>{0} example</source>
        <translation>{0} Beispiel</translation>
    </message>
    <message>
        <source>{0} examples</source>
        <translation>{0} Beispiele</translation>
    </message>
    <message>
        <source>{0} of class {1} predicted as {2}.</source>
        <translation>{0} der Klasse {1} als {2} vorhergesagt.</translation>
    </message>
    <message>
        <source>{0} of class {1} predicted right.</source>
        <translation>{0} der Klasse {1} richtig vorhergesagt.</translation>
    </message>
    <message>
        <source>{0} of {1} ({2}), {3} %</source>
        <translation>{0} von {1} ({2}), {3} %</translation>
    </message>
    <message>
        <source>{0}, all in the current batch</source>
        <translation>{0}, alle im aktuellen Batch</translation>
    </message>
    <message>
        <source>{0}, in the current batch</source>
        <translation>{0}, im aktuellen Batch</translation>
    </message>
    <message>
        <source>{0}, is {1}</source>
        <translation>{0}, ist {1}</translation>
    </message>
</context>
<context>
    <name>DebugToolbar</name>
    <message>
        <source>Loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>Operations</source>
        <translation>Operationen</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimizer</translation>
    </message>
    <message>
        <source>held</source>
        <translation>gehalten</translation>
    </message>
    <message>
        <source>retain</source>
        <translation>behalten</translation>
    </message>
    <message>
        <source>zeros</source>
        <translation>Nullen</translation>
    </message>
</context>
<context>
    <name>DebuggerHost</name>
    <message>
        <source>another file is still being saved</source>
        <translation>eine andere Datei wird noch gespeichert</translation>
    </message>
    <message>
        <source>continue the lesson</source>
        <translation>die Lektion fortzusetzen</translation>
    </message>
    <message>
        <source>draw the other runs</source>
        <translation>die anderen Läufe zu zeichnen</translation>
    </message>
    <message>
        <source>no recorded script is waiting</source>
        <translation>kein aufgezeichnetes Skript wartet</translation>
    </message>
    <message>
        <source>record one first</source>
        <translation>zeichnen Sie zuerst eines auf</translation>
    </message>
    <message>
        <source>record the program</source>
        <translation>das Programm aufzuzeichnen</translation>
    </message>
    <message>
        <source>save under another name</source>
        <translation>speichern Sie unter einem anderen Namen</translation>
    </message>
    <message>
        <source>save {name}</source>
        <translation>{name} zu speichern</translation>
    </message>
    <message>
        <source>wait until it is saved, or cancel that</source>
        <translation>warten Sie, bis sie gespeichert ist, oder brechen Sie das ab</translation>
    </message>
    <message>
        <source>write a temporary file</source>
        <translation>eine temporäre Datei zu schreiben</translation>
    </message>
    <message>
        <source>{path} was changed by another program since it was opened here</source>
        <translation>{path} wurde von einem anderen Programm geändert, seit sie hier geöffnet wurde</translation>
    </message>
    <message>
        <source>{script}, rank {rank} of {count}</source>
        <translation>{script}, Rank {rank} von {count}</translation>
    </message>
</context>
<context>
    <name>Dialogs</name>
    <message>
        <source>&amp;Replace</source>
        <translation>E&amp;rsetzen</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>Ausf&amp;ühren</translation>
    </message>
    <message>
        <source>&amp;Set Limit</source>
        <translation>&amp;Grenze setzen</translation>
    </message>
    <message>
        <source>Checkpoints make going back fast. With less memory, going far back takes
longer; no event is ever lost.

Memory limit in megabytes:</source>
        <translation>Checkpoints machen das Zurückgehen schnell. Mit weniger Speicher dauert es länger,
weit zurückzugehen; kein Ereignis geht je verloren.

Speichergrenze in Megabyte:</translation>
    </message>
    <message>
        <source>Choose a program. It opens as a new, unsaved program.</source>
        <translation>Wählen Sie ein Programm. Es wird als neues, ungespeichertes Programm geöffnet.</translation>
    </message>
    <message>
        <source>Export Script</source>
        <translation>Skript exportieren</translation>
    </message>
    <message>
        <source>GradStep files (*.gradstep *.json);;</source>
        <translation>GradStep-Dateien (*.gradstep *.json);;</translation>
    </message>
    <message>
        <source>GradStep lessons (*.lesson.json)</source>
        <translation>GradStep-Lektionen (*.lesson.json)</translation>
    </message>
    <message>
        <source>GradStep programs (*.json)</source>
        <translation>GradStep-Programme (*.json)</translation>
    </message>
    <message>
        <source>GradStep sessions (*.gradstep)</source>
        <translation>GradStep-Sitzungen (*.gradstep)</translation>
    </message>
    <message>
        <source>Included programs</source>
        <translation>Mitgelieferte Programme</translation>
    </message>
    <message>
        <source>Iterations:</source>
        <translation>Iterationen:</translation>
    </message>
    <message>
        <source>Memory for Checkpoints</source>
        <translation>Speicher für Checkpoints</translation>
    </message>
    <message>
        <source>New from an Included Program</source>
        <translation>Neu aus einem mitgelieferten Programm</translation>
    </message>
    <message>
        <source>Open Lesson</source>
        <translation>Lektion öffnen</translation>
    </message>
    <message>
        <source>Open Program or Session</source>
        <translation>Programm oder Sitzung öffnen</translation>
    </message>
    <message>
        <source>Overlay Sessions</source>
        <translation>Sitzungen überlagern</translation>
    </message>
    <message>
        <source>Python scripts (*.py)</source>
        <translation>Python-Skripte (*.py)</translation>
    </message>
    <message>
        <source>Replace the sessions of other ranks?</source>
        <translation>Die Sitzungen der anderen Ranks ersetzen?</translation>
    </message>
    <message>
        <source>Run Iterations</source>
        <translation>Iterationen ausführen</translation>
    </message>
    <message>
        <source>Run Script</source>
        <translation>Skript ausführen</translation>
    </message>
    <message>
        <source>Run Until Iteration</source>
        <translation>Bis zu Iteration ausführen</translation>
    </message>
    <message>
        <source>Run until this iteration is done. Done now: {0}</source>
        <translation>Ausführen, bis diese Iteration abgeschlossen ist. Jetzt abgeschlossen: {0}</translation>
    </message>
    <message>
        <source>Save Lesson</source>
        <translation>Lektion speichern</translation>
    </message>
    <message>
        <source>Save Program</source>
        <translation>Programm speichern</translation>
    </message>
    <message>
        <source>Save Session</source>
        <translation>Sitzung speichern</translation>
    </message>
    <message>
        <source>Save it as a session with all its events?</source>
        <translation>Als Sitzung mit allen Ereignissen speichern?</translation>
    </message>
    <message>
        <source>Scripts and notebooks (*.py *.ipynb);;All files (*)</source>
        <translation>Skripte und Notebooks (*.py *.ipynb);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>The script still runs, and will be stopped. {0}</source>
        <translation>Das Skript läuft noch und wird beendet. {0}</translation>
    </message>
    <message>
        <source>These files are there already: {names}.</source>
        <translation>Diese Dateien gibt es schon: {names}.</translation>
    </message>
    <message>
        <source>Unsaved Program</source>
        <translation>Ungespeichertes Programm</translation>
    </message>
    <message>
        <source>“{name}” is not saved.</source>
        <translation>„{name}“ ist nicht gespeichert.</translation>
    </message>
</context>
<context>
    <name>Dock</name>
    <message>
        <source>Branches</source>
        <translation>Zweige</translation>
    </message>
    <message>
        <source>Breakpoints</source>
        <translation>Haltepunkte</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Event Log</source>
        <translation>Ereignisprotokoll</translation>
    </message>
    <message>
        <source>Explain</source>
        <translation>Erklären</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>Befunde</translation>
    </message>
    <message>
        <source>Inside</source>
        <translation>Innen</translation>
    </message>
    <message>
        <source>Lesson</source>
        <translation>Lektion</translation>
    </message>
    <message>
        <source>Optimizer Inspector</source>
        <translation>Optimizer-Inspektor</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>Ranks</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>Variables</source>
        <translation>Variablen</translation>
    </message>
    <message>
        <source>Watches</source>
        <translation>Überwachungen</translation>
    </message>
</context>
<context>
    <name>DockTitles</name>
    <message>
        <source>&amp;Close</source>
        <translation>&amp;Schließen</translation>
    </message>
    <message>
        <source>&amp;Float</source>
        <translation>&amp;Loslösen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Docks: {titles}</source>
        <translation>Bereiche: {titles}</translation>
    </message>
    <message>
        <source>Float</source>
        <translation>Loslösen</translation>
    </message>
    <message>
        <source>Move to the &amp;Bottom</source>
        <translation>Nach &amp;unten</translation>
    </message>
    <message>
        <source>Move to the &amp;Left</source>
        <translation>Nach &amp;links</translation>
    </message>
    <message>
        <source>Move to the &amp;Right</source>
        <translation>Nach &amp;rechts</translation>
    </message>
    <message>
        <source>Move to the &amp;Top</source>
        <translation>Nach &amp;oben</translation>
    </message>
    <message>
        <source>{button} {dock}</source>
        <translation>{button}: {dock}</translation>
    </message>
</context>
<context>
    <name>DocumentEditor</name>
    <message>
        <source>Program document</source>
        <translation>Programmdokument</translation>
    </message>
</context>
<context>
    <name>DraftController</name>
    <message>
        <source>check the document</source>
        <translation>das Dokument zu prüfen</translation>
    </message>
    <message>
        <source>close the document</source>
        <translation>das Dokument zu schließen</translation>
    </message>
    <message>
        <source>edit the program</source>
        <translation>das Programm zu bearbeiten</translation>
    </message>
    <message>
        <source>edit {name}</source>
        <translation>{name} zu bearbeiten</translation>
    </message>
    <message>
        <source>open the document</source>
        <translation>das Dokument zu öffnen</translation>
    </message>
</context>
<context>
    <name>Drafts</name>
    <message>
        <source>Valid program: {0} of {1}, {2}, {3}.</source>
        <translation>Gültiges Programm: {0} aus {1}, {2}, {3}.</translation>
    </message>
    <message>
        <source>{0} loss</source>
        <translation>{0} Loss</translation>
    </message>
    <message>
        <source>{0} losses</source>
        <translation>{0} Losses</translation>
    </message>
    <message>
        <source>{0} number</source>
        <translation>{0} Zahl</translation>
    </message>
    <message>
        <source>{0} numbers</source>
        <translation>{0} Zahlen</translation>
    </message>
    <message>
        <source>{0} optimizer</source>
        <translation>{0} Optimizer</translation>
    </message>
    <message>
        <source>{0} optimizers</source>
        <translation>{0} Optimizer</translation>
    </message>
    <message>
        <source>{0} tensor</source>
        <translation>{0} Tensor</translation>
    </message>
    <message>
        <source>{0} tensors</source>
        <translation>{0} Tensoren</translation>
    </message>
</context>
<context>
    <name>EvaluationPointsBox</name>
    <message>
        <source>Automatic: stops where the condition becomes true, after the operations that write
what it reads. A loss after its Forward, a gradient after Backward, parameters and
optimizer state after Step; changed(), raised and non_finite after every operation.
Anything else: stops there every time the condition holds.</source>
        <translation>Automatisch: hält an, wo die Bedingung wahr wird, nach den Operationen, die schreiben,
was sie liest. Ein Loss nach seinem Forward, ein Gradient nach Backward, Parameter und
Optimizer-Zustand nach Step; changed(), raised und non_finite nach jeder Operation.
Alles andere: hält dort jedes Mal an, wenn die Bedingung erfüllt ist.</translation>
    </message>
    <message>
        <source>Evaluate</source>
        <translation>Auswerten</translation>
    </message>
    <message>
        <source>Here: {when}.</source>
        <translation>Hier: {when}.</translation>
    </message>
    <message>
        <source>before {0}</source>
        <translation>vor {0}</translation>
    </message>
</context>
<context>
    <name>EventDetails</name>
    <message>
        <source>Details of the selected event</source>
        <translation>Einzelheiten des ausgewählten Ereignisses</translation>
    </message>
    <message>
        <source>Event {0}, iteration {1}</source>
        <translation>Ereignis {0}, Iteration {1}</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>Gelesen</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Start</translation>
    </message>
    <message>
        <source>The program before the first event: nothing has been computed yet.</source>
        <translation>Das Programm vor dem ersten Ereignis: Noch ist nichts berechnet.</translation>
    </message>
    <message>
        <source>Wrote</source>
        <translation>Geschrieben</translation>
    </message>
    <message>
        <source>and {0} more</source>
        <translation>und {0} weitere</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
    <message>
        <source>{0} data row</source>
        <translation>{0} Datenzeile</translation>
    </message>
    <message>
        <source>{0} data rows</source>
        <translation>{0} Datenzeilen</translation>
    </message>
    <message>
        <source>{0}, {1}</source>
        <translation>{0}, {1}</translation>
    </message>
</context>
<context>
    <name>EventLog</name>
    <message>
        <source>A breakpoint stopped a run here</source>
        <translation>Hier hat ein Haltepunkt einen Lauf angehalten</translation>
    </message>
    <message>
        <source>Press Enter or click to go here</source>
        <translation>Eingabetaste oder Klick führt hierher</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Start</translation>
    </message>
    <message>
        <source>The current event</source>
        <translation>Das aktuelle Ereignis</translation>
    </message>
    <message>
        <source>The program before the first event</source>
        <translation>Das Programm vor dem ersten Ereignis</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>initial state</source>
        <translation>Anfangszustand</translation>
    </message>
    <message>
        <source>ok</source>
        <translation>ok</translation>
    </message>
    <message>
        <source>random generator</source>
        <translation>Zufallsgenerator</translation>
    </message>
    <message>
        <source>{0} grads</source>
        <translation>{0} grads</translation>
    </message>
    <message>
        <source>{0} hyperparameters</source>
        <translation>{0} Hyperparameter</translation>
    </message>
    <message>
        <source>{0} tensors</source>
        <translation>{0} Tensoren</translation>
    </message>
</context>
<context>
    <name>EventLogView</name>
    <message>
        <source>All Events</source>
        <translation>Alle Ereignisse</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>Ereignisse</translation>
    </message>
    <message>
        <source>Failed Events</source>
        <translation>Fehlgeschlagene</translation>
    </message>
    <message>
        <source>Filter events</source>
        <translation>Ereignisse filtern</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>Folgen</translation>
    </message>
    <message>
        <source>Go to Event {0}</source>
        <translation>Zu Ereignis {0} gehen</translation>
    </message>
    <message>
        <source>Keep the current event visible</source>
        <translation>Das aktuelle Ereignis sichtbar halten</translation>
    </message>
    <message>
        <source>Load Modules Only</source>
        <translation>Nur Module laden</translation>
    </message>
    <message>
        <source>Load the State After This Event</source>
        <translation>Den Zustand nach diesem Ereignis laden</translation>
    </message>
    <message>
        <source>Open a program to see its events here.</source>
        <translation>Öffnen Sie ein Programm, um hier seine Ereignisse zu sehen.</translation>
    </message>
    <message>
        <source>What If Skipped</source>
        <translation>Was wäre, wenn es übersprungen würde</translation>
    </message>
    <message>
        <source>What If from Here…</source>
        <translation>Was wäre, wenn von hier an…</translation>
    </message>
    <message>
        <source>event {0} of {1}</source>
        <translation>Ereignis {0} von {1}</translation>
    </message>
</context>
<context>
    <name>EventModel</name>
    <message>
        <source>Counted from 1; the arrow marks the current event</source>
        <translation>Gezählt ab 1; der Pfeil markiert das aktuelle Ereignis</translation>
    </message>
    <message>
        <source>Event</source>
        <translation>Ereignis</translation>
    </message>
    <message>
        <source>Iteration</source>
        <translation>Iteration</translation>
    </message>
    <message>
        <source>Iterations completed before it</source>
        <translation>Iterationen, die davor abgeschlossen waren</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>Operation</source>
        <translation>Operation</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>Gelesen</translation>
    </message>
    <message>
        <source>The line of the script that did it</source>
        <translation>Die Zeile des Skripts, die es getan hat</translation>
    </message>
    <message>
        <source>The loss that it computed</source>
        <translation>Der Loss, der berechnet wurde</translation>
    </message>
    <message>
        <source>What it read</source>
        <translation>Was gelesen wurde</translation>
    </message>
    <message>
        <source>What it wrote, or the error and its remedy</source>
        <translation>Was geschrieben wurde, oder der Fehler und was dagegen zu tun ist</translation>
    </message>
    <message>
        <source>What ran, and on what</source>
        <translation>Was ausgeführt wurde, und womit</translation>
    </message>
    <message>
        <source>Wrote</source>
        <translation>Geschrieben</translation>
    </message>
    <message>
        <source>ok or failed; a failed operation changes nothing</source>
        <translation>ok oder fehlgeschlagen; eine fehlgeschlagene Operation ändert nichts</translation>
    </message>
</context>
<context>
    <name>ExplainRequests</name>
    <message>
        <source>explain {0}</source>
        <translation>{0} zu erklären</translation>
    </message>
</context>
<context>
    <name>ExplainRows</name>
    <message>
        <source>All steps before the ones listed</source>
        <translation>Alle Steps vor den aufgeführten</translation>
    </message>
    <message>
        <source>An optimizer holds it, but no loss depends on it.</source>
        <translation>Ein Optimizer hält ihn, aber kein Loss hängt von ihm ab.</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>Batch</translation>
    </message>
    <message>
        <source>Click to go to Event {0}</source>
        <translation>Klick führt zu Ereignis {0}</translation>
    </message>
    <message>
        <source>Event</source>
        <translation>Ereignis</translation>
    </message>
    <message>
        <source>It does not require a gradient.</source>
        <translation>Er verlangt keinen Gradienten.</translation>
    </message>
    <message>
        <source>It is held more than once, so it is updated more than once.</source>
        <translation>Er wird mehr als einmal gehalten, also mehr als einmal geändert.</translation>
    </message>
    <message>
        <source>No optimizer holds it, so no Step updates it.</source>
        <translation>Kein Optimizer hält ihn, also ändert ihn kein Step.</translation>
    </message>
    <message>
        <source>Norm</source>
        <translation>Norm</translation>
    </message>
    <message>
        <source>Not in this group.</source>
        <translation>Nicht in dieser Gruppe.</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Step</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>The group holds an old tensor that its module has replaced.</source>
        <translation>Die Gruppe hält einen alten Tensor, den sein Modul ersetzt hat.</translation>
    </message>
    <message>
        <source>The group holds this tensor.</source>
        <translation>Die Gruppe hält diesen Tensor.</translation>
    </message>
    <message>
        <source>clipping</source>
        <translation>Clipping</translation>
    </message>
    <message>
        <source>earlier events</source>
        <translation>frühere Ereignisse</translation>
    </message>
    <message>
        <source>earlier steps</source>
        <translation>frühere Steps</translation>
    </message>
    <message>
        <source>rows {0}</source>
        <translation>Zeilen {0}</translation>
    </message>
    <message>
        <source>weight decay</source>
        <translation>Weight Decay</translation>
    </message>
    <message>
        <source>{0} times the whole: the parts nearly cancel each other</source>
        <translation>{0}-mal das Ganze: die Teile heben sich fast auf</translation>
    </message>
    <message>
        <source>{0}, in the Step</source>
        <translation>{0}, im Step</translation>
    </message>
    <message>
        <source>~0 %</source>
        <translation>~0 %</translation>
    </message>
    <message>
        <source>▪ frozen</source>
        <translation>▪ eingefroren</translation>
    </message>
    <message>
        <source>⚠ duplicate</source>
        <translation>⚠ doppelt</translation>
    </message>
    <message>
        <source>⚠ foreign</source>
        <translation>⚠ fremd</translation>
    </message>
    <message>
        <source>⚠ orphan</source>
        <translation>⚠ verwaist</translation>
    </message>
    <message>
        <source>⚠ stale</source>
        <translation>⚠ veraltet</translation>
    </message>
    <message>
        <source>✓ held</source>
        <translation>✓ gehalten</translation>
    </message>
</context>
<context>
    <name>ExplainView</name>
    <message>
        <source>.grad</source>
        <translation>.grad</translation>
    </message>
    <message>
        <source>Bindings</source>
        <translation>Bindungen</translation>
    </message>
    <message>
        <source>Change by element</source>
        <translation>Änderung nach Elementen</translation>
    </message>
    <message>
        <source>Elements</source>
        <translation>Elemente</translation>
    </message>
    <message>
        <source>Formula</source>
        <translation>Formel</translation>
    </message>
    <message>
        <source>Momentum</source>
        <translation>Momentum</translation>
    </message>
    <message>
        <source>No formula changed this tensor.</source>
        <translation>Keine Formel hat diesen Tensor geändert.</translation>
    </message>
    <message>
        <source>No momentum of earlier steps took part in this change.</source>
        <translation>Kein Momentum früherer Steps hatte Anteil an dieser Änderung.</translation>
    </message>
    <message>
        <source>Open a program to see why its tensors change.</source>
        <translation>Öffnen Sie ein Programm, um zu sehen, warum sich seine Tensoren ändern.</translation>
    </message>
    <message>
        <source>Parts of the gradient</source>
        <translation>Teile des Gradienten</translation>
    </message>
    <message>
        <source>Parts of the momentum</source>
        <translation>Teile des Momentums</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Tensor to explain</source>
        <translation>Zu erklärender Tensor</translation>
    </message>
    <message>
        <source>Tensors held by each group</source>
        <translation>Von jeder Gruppe gehaltene Tensoren</translation>
    </message>
    <message>
        <source>There is no change to show.</source>
        <translation>Es gibt keine Änderung zu zeigen.</translation>
    </message>
    <message>
        <source>This program has no optimizer.</source>
        <translation>Dieses Programm hat keinen Optimizer.</translation>
    </message>
    <message>
        <source>This program has no tensors.</source>
        <translation>Dieses Programm hat keine Tensoren.</translation>
    </message>
    <message>
        <source>after event {0}</source>
        <translation>nach Ereignis {0}</translation>
    </message>
    <message>
        <source>before</source>
        <translation>vorher</translation>
    </message>
    <message>
        <source>change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>paused during the run</source>
        <translation>pausiert während des Laufs</translation>
    </message>
    <message>
        <source>{0}.grad is None: no Backward has written it since it was cleared.</source>
        <translation>{0}.grad ist None: Kein Backward hat es geschrieben, seit es gelöscht wurde.</translation>
    </message>
    <message>
        <source>{0}.grad is zero: Zero Grad set it to zeros, and no Backward has run since.</source>
        <translation>{0}.grad ist null: Zero Grad hat Nullen geschrieben, und seither lief kein Backward.</translation>
    </message>
</context>
<context>
    <name>ExportDialogController</name>
    <message>
        <source>All {count} events recorded on “{branch}”, in order. It needs PyTorch, and draws the same random numbers.</source>
        <translation>Alle {count} Ereignisse, die auf „{branch}“ aufgezeichnet sind, der Reihe nach. Es braucht PyTorch und zieht dieselben Zufallszahlen.</translation>
    </message>
    <message>
        <source>Exported to {path}</source>
        <translation>Exportiert nach {path}</translation>
    </message>
    <message>
        <source>No operations are recorded yet: this is the program's loop.</source>
        <translation>Noch sind keine Operationen aufgezeichnet: Dies ist die Schleife des Programms.</translation>
    </message>
    <message>
        <source>PyTorch Script</source>
        <translation>PyTorch-Skript</translation>
    </message>
    <message>
        <source>Repeats the operations recorded on “{branch}” in PyTorch and compares the losses with the recorded ones. It needs PyTorch; run it with pytest, or directly.</source>
        <translation>Wiederholt die Operationen, die auf „{branch}“ aufgezeichnet sind, in PyTorch und vergleicht die Losses mit den aufgezeichneten. Es braucht PyTorch; führen Sie es mit pytest aus oder direkt.</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>Test</translation>
    </message>
</context>
<context>
    <name>FindingsView</name>
    <message>
        <source> and more</source>
        <translation> und weitere</translation>
    </message>
    <message>
        <source>A comment of the script answers yes, too: {0}</source>
        <translation>Auch ein Kommentar im Skript antwortet mit Ja: {0}</translation>
    </message>
    <message>
        <source>Ask Again</source>
        <translation>Erneut fragen</translation>
    </message>
    <message>
        <source>Events {events}</source>
        <translation>Ereignisse {events}</translation>
    </message>
    <message>
        <source>Explain {names}</source>
        <translation>{names} erklären</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>Befunde</translation>
    </message>
    <message>
        <source>Findings ({count})</source>
        <translation>Befunde ({count})</translation>
    </message>
    <message>
        <source>It Is Intended</source>
        <translation>Das ist Absicht</translation>
    </message>
    <message>
        <source>Measured {value}, threshold {threshold} (source: {source}).</source>
        <translation>Gemessen {value}, Schwelle {threshold} (Quelle: {source}).</translation>
    </message>
    <message>
        <source>Mute</source>
        <translation>Stummschalten</translation>
    </message>
    <message>
        <source>Muted: {names}.</source>
        <translation>Stumm: {names}.</translation>
    </message>
    <message>
        <source>Next →</source>
        <translation>Weiter →</translation>
    </message>
    <message>
        <source>No</source>
        <translation>Nein</translation>
    </message>
    <message>
        <source>No findings so far.

A fact is a rule that the loop broke, with the events that show it. A suspicion is a value beyond a threshold, which may still be fine.</source>
        <translation>Bisher keine Befunde.

Eine Tatsache ist eine Regel, die die Schleife gebrochen hat, mit den Ereignissen, die das zeigen. Ein Verdacht ist ein Wert jenseits einer Schwelle, der trotzdem in Ordnung sein kann.</translation>
    </message>
    <message>
        <source>Remedy:</source>
        <translation>Abhilfe:</translation>
    </message>
    <message>
        <source>Source: {0}.</source>
        <translation>Quelle: {0}.</translation>
    </message>
    <message>
        <source>Unmute All</source>
        <translation>Alle einschalten</translation>
    </message>
    <message>
        <source>What if it ran {trial}?</source>
        <translation>Was wäre, wenn: {trial}?</translation>
    </message>
    <message>
        <source>Yes</source>
        <translation>Ja</translation>
    </message>
    <message>
        <source>fact</source>
        <translation>Tatsache</translation>
    </message>
    <message>
        <source>info</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>question</source>
        <translation>Frage</translation>
    </message>
    <message>
        <source>suspicion</source>
        <translation>Verdacht</translation>
    </message>
    <message>
        <source>{count} times, last at {event}</source>
        <translation>{count}-mal, zuletzt bei {event}</translation>
    </message>
    <message>
        <source>{number} of {total}</source>
        <translation>{number} von {total}</translation>
    </message>
    <message>
        <source>← Previous</source>
        <translation>← Zurück</translation>
    </message>
</context>
<context>
    <name>FitLegend</name>
    <message>
        <source>Legend</source>
        <translation>Legende</translation>
    </message>
</context>
<context>
    <name>FitRequests</name>
    <message>
        <source>predict the data</source>
        <translation>die Daten vorherzusagen</translation>
    </message>
</context>
<context>
    <name>FormulaPage</name>
    <message>
        <source>Formulas of the selected part</source>
        <translation>Formeln des ausgewählten Teils</translation>
    </message>
    <message>
        <source>How the {0} enters the change:</source>
        <translation>Wie {0} in die Änderung eingeht:</translation>
    </message>
</context>
<context>
    <name>GradientFlow</name>
    <message>
        <source>.grad is None: Backward computes it.</source>
        <translation>.grad ist None: Backward berechnet es.</translation>
    </message>
    <message>
        <source>Gradient Flow</source>
        <translation>Gradientenfluss</translation>
    </message>
    <message>
        <source>Gradient flow: the root mean square of .grad in each layer, logarithmic</source>
        <translation>Gradientenfluss: das quadratische Mittel von .grad in jeder Schicht, logarithmisch</translation>
    </message>
    <message>
        <source>No iteration is complete yet.</source>
        <translation>Noch ist keine Iteration abgeschlossen.</translation>
    </message>
    <message>
        <source>RMS of .grad by layer</source>
        <translation>RMS von .grad je Schicht</translation>
    </message>
    <message>
        <source>The norm of the change in the last complete iteration by the norm of the data, logarithmic; about 0.001 is usual</source>
        <translation>Die Norm der Änderung in der letzten abgeschlossenen Iteration, geteilt durch die Norm von data, logarithmisch; üblich sind etwa 0.001</translation>
    </message>
    <message>
        <source>|update| / |data| by layer</source>
        <translation>|Änderung| / |data| je Schicht</translation>
    </message>
</context>
<context>
    <name>GraphCanvas</name>
    <message>
        <source>Computation graph</source>
        <translation>Berechnungsgraph</translation>
    </message>
    <message>
        <source>current</source>
        <translation>aktuell</translation>
    </message>
</context>
<context>
    <name>GraphLegend</name>
    <message>
        <source>Graph legend</source>
        <translation>Legende des Graphen</translation>
    </message>
    <message>
        <source>changed</source>
        <translation>geändert</translation>
    </message>
    <message>
        <source>current</source>
        <translation>aktuell</translation>
    </message>
    <message>
        <source>freed</source>
        <translation>freigegeben</translation>
    </message>
    <message>
        <source>leaf</source>
        <translation>Blatt</translation>
    </message>
    <message>
        <source>not run yet</source>
        <translation>noch nicht gelaufen</translation>
    </message>
    <message>
        <source>visited</source>
        <translation>besucht</translation>
    </message>
</context>
<context>
    <name>GraphToolbar</name>
    <message>
        <source>Fit</source>
        <translation>Einpassen</translation>
    </message>
    <message>
        <source>Last Computed</source>
        <translation>Zuletzt berechnet</translation>
    </message>
    <message>
        <source>Modules</source>
        <translation>Module</translation>
    </message>
    <message>
        <source>Show each module call as one box</source>
        <translation>Jeden Modulaufruf als einen Kasten zeigen</translation>
    </message>
    <message>
        <source>Show the graph of this loss</source>
        <translation>Den Graphen dieses Loss zeigen</translation>
    </message>
    <message>
        <source>Show the whole graph (F)</source>
        <translation>Den ganzen Graphen zeigen (F)</translation>
    </message>
    <message>
        <source>Zoom in (Ctrl++)</source>
        <translation>Vergrößern (Strg++)</translation>
    </message>
    <message>
        <source>Zoom out (Ctrl+−)</source>
        <translation>Verkleinern (Strg+−)</translation>
    </message>
</context>
<context>
    <name>GraphView</name>
    <message>
        <source>A saved tensor was changed in place: Backward will fail</source>
        <translation>Ein gespeicherter Tensor wurde in-place geändert: Backward wird fehlschlagen</translation>
    </message>
    <message>
        <source>Freed by a Backward</source>
        <translation>Von einem Backward freigegeben</translation>
    </message>
    <message>
        <source>Inside Backward: {0} of {1} operations visited</source>
        <translation>In Backward: {0} von {1} Operationen besucht</translation>
    </message>
    <message>
        <source>Inside Forward: {0} of {1} operations run</source>
        <translation>In Forward: {0} von {1} Operationen gelaufen</translation>
    </message>
    <message>
        <source>No graph yet: Forward records one.</source>
        <translation>Noch kein Graph: Forward zeichnet einen auf.</translation>
    </message>
    <message>
        <source>One Backward so far; saved tensors kept</source>
        <translation>Bisher ein Backward; gespeicherte Tensoren behalten</translation>
    </message>
    <message>
        <source>Open a program to see its computation graph here.</source>
        <translation>Öffnen Sie ein Programm, um hier seinen Berechnungsgraphen zu sehen.</translation>
    </message>
    <message>
        <source>a constant</source>
        <translation>eine Konstante</translation>
    </message>
    <message>
        <source>changed</source>
        <translation>geändert</translation>
    </message>
    <message>
        <source>freed</source>
        <translation>freigegeben</translation>
    </message>
    <message>
        <source>gradient from {0} to {1}</source>
        <translation>Gradient von {0} an {1}</translation>
    </message>
    <message>
        <source>norm {0}</source>
        <translation>Norm {0}</translation>
    </message>
    <message>
        <source>not computed yet</source>
        <translation>noch nicht berechnet</translation>
    </message>
    <message>
        <source>not run yet</source>
        <translation>noch nicht gelaufen</translation>
    </message>
    <message>
        <source>replaced</source>
        <translation>ersetzt</translation>
    </message>
    <message>
        <source>visited</source>
        <translation>besucht</translation>
    </message>
    <message>
        <source>visited {0} times</source>
        <translation>{0}-mal besucht</translation>
    </message>
    <message>
        <source>{0} Backwards so far; saved tensors kept</source>
        <translation>Bisher {0} Backwards; gespeicherte Tensoren behalten</translation>
    </message>
    <message>
        <source>{0} call {1}</source>
        <translation>{0}, Aufruf {1}</translation>
    </message>
    <message>
        <source>{0} has no graph: it is computed on held-out data, or none of its inputs requires grad.</source>
        <translation>{0} hat keinen Graphen: Er wird auf zurückgehaltenen Daten berechnet, oder keine seiner Eingaben verlangt grad.</translation>
    </message>
    <message>
        <source>{0} of {1} have run</source>
        <translation>{0} von {1} gelaufen</translation>
    </message>
    <message>
        <source>{0} of {1} nodes, around {2}. {3}</source>
        <translation>{0} von {1} Knoten, um {2}. {3}</translation>
    </message>
    <message>
        <source>{0} of {1} visited</source>
        <translation>{0} von {1} besucht</translation>
    </message>
    <message>
        <source>{0} operation, no Backward yet</source>
        <translation>{0} Operation, noch kein Backward</translation>
    </message>
    <message>
        <source>{0} operations</source>
        <translation>{0} Operationen</translation>
    </message>
    <message>
        <source>{0} operations, no Backward yet</source>
        <translation>{0} Operationen, noch kein Backward</translation>
    </message>
    <message>
        <source>{0}: the loss, where Backward starts</source>
        <translation>{0}: der Loss, bei dem Backward beginnt</translation>
    </message>
</context>
<context>
    <name>GroupSettings</name>
    <message>
        <source>All Options</source>
        <translation>Alle Optionen</translation>
    </message>
    <message>
        <source>Also show {0}</source>
        <translation>Auch {0} zeigen</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Group {0}</source>
        <translation>Gruppe {0}</translation>
    </message>
    <message>
        <source>Kind of the optimizer</source>
        <translation>Art des Optimizers</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimizer</translation>
    </message>
    <message>
        <source>Options that cannot be edited here</source>
        <translation>Optionen, die sich hier nicht ändern lassen</translation>
    </message>
    <message>
        <source>Parameter group</source>
        <translation>Parametergruppe</translation>
    </message>
    <message>
        <source>Replace the optimizer by one of another kind, whose state is empty</source>
        <translation>Den Optimizer durch einen anderer Art ersetzen, dessen Zustand leer ist</translation>
    </message>
    <message>
        <source>Show all options</source>
        <translation>Alle Optionen zeigen</translation>
    </message>
    <message>
        <source>Zero Grad clears .grad only, not optimizer state.</source>
        <translation>Zero Grad löscht nur .grad, nicht den Zustand des Optimizers.</translation>
    </message>
    <message>
        <source>Zero Grad clears .grad only, not {0}.</source>
        <translation>Zero Grad löscht nur .grad, nicht {0}.</translation>
    </message>
    <message>
        <source>{0} step</source>
        <translation>{0} Step</translation>
    </message>
    <message>
        <source>{0} steps</source>
        <translation>{0} Steps</translation>
    </message>
    <message>
        <source>{0}:</source>
        <translation>{0}:</translation>
    </message>
</context>
<context>
    <name>HeatMap</name>
    <message>
        <source>Each pixel is the mean of {0} elements</source>
        <translation>Jedes Pixel ist der Mittelwert von {0} Elementen</translation>
    </message>
    <message>
        <source>Heat map</source>
        <translation>Heatmap</translation>
    </message>
</context>
<context>
    <name>Help</name>
    <message>
        <source>Ctrl+Left, Ctrl+Right</source>
        <translation>Strg+Links, Strg+Rechts</translation>
    </message>
    <message>
        <source>Home, End</source>
        <translation>Pos1, Ende</translation>
    </message>
    <message>
        <source>Keyboard Shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Left, Right</source>
        <translation>Links, Rechts</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Zeitleiste</translation>
    </message>
    <message>
        <source>previous, next event</source>
        <translation>voriges, nächstes Ereignis</translation>
    </message>
    <message>
        <source>previous, next iteration</source>
        <translation>vorige, nächste Iteration</translation>
    </message>
    <message>
        <source>start, latest event</source>
        <translation>Anfang, letztes Ereignis</translation>
    </message>
    <message>
        <source>| Keys | Action |</source>
        <translation>| Tasten | Aktion |</translation>
    </message>
</context>
<context>
    <name>InsertPage</name>
    <message>
        <source>Insert before event</source>
        <translation>Einfügen vor Ereignis</translation>
    </message>
    <message>
        <source>Operation to insert</source>
        <translation>Einzufügende Operation</translation>
    </message>
    <message>
        <source>before</source>
        <translation>vor</translation>
    </message>
</context>
<context>
    <name>InsideView</name>
    <message>
        <source>Inside</source>
        <translation>Innen</translation>
    </message>
    <message>
        <source>Path of the micro-step</source>
        <translation>Pfad des Mikroschritts</translation>
    </message>
    <message>
        <source>Press Into (F11) to go inside the next operation.</source>
        <translation>„Hinein“ (F11) führt in die nächste Operation.</translation>
    </message>
    <message>
        <source>a gradient accumulation</source>
        <translation>eine Akkumulation des Gradienten</translation>
    </message>
    <message>
        <source>a graph node</source>
        <translation>ein Knoten des Graphen</translation>
    </message>
    <message>
        <source>a module</source>
        <translation>ein Modul</translation>
    </message>
    <message>
        <source>a parameter</source>
        <translation>ein Parameter</translation>
    </message>
    <message>
        <source>a parameter group</source>
        <translation>eine Parametergruppe</translation>
    </message>
    <message>
        <source>a term of the update</source>
        <translation>ein Term der Änderung</translation>
    </message>
    <message>
        <source>an evaluation of the loss</source>
        <translation>eine Auswertung des Loss</translation>
    </message>
    <message>
        <source>an iteration of the step</source>
        <translation>eine Iteration des Steps</translation>
    </message>
    <message>
        <source>an operation of the evaluation</source>
        <translation>eine Operation der Auswertung</translation>
    </message>
    <message>
        <source>an operation on tensors</source>
        <translation>eine Operation auf Tensoren</translation>
    </message>
    <message>
        <source>micro-step {number}, {kind}</source>
        <translation>Mikroschritt {number}, {kind}</translation>
    </message>
</context>
<context>
    <name>KeyDisplay</name>
    <message>
        <source>Last action and its key</source>
        <translation>Letzte Aktion und ihre Taste</translation>
    </message>
</context>
<context>
    <name>LandscapeController</name>
    <message>
        <source>compute the landscape</source>
        <translation>die Landschaft zu berechnen</translation>
    </message>
    <message>
        <source>find the last step in the landscape</source>
        <translation>den letzten Step in der Landschaft zu finden</translation>
    </message>
    <message>
        <source>find the moment in the landscape</source>
        <translation>den Moment in der Landschaft zu finden</translation>
    </message>
    <message>
        <source>plan the landscape</source>
        <translation>die Landschaft zu planen</translation>
    </message>
    <message>
        <source>replay the what-if</source>
        <translation>das Was-wäre-wenn abzuspielen</translation>
    </message>
</context>
<context>
    <name>LandscapeOffer</name>
    <message>
        <source>&amp;Compute the Landscape</source>
        <translation>Die Landschaft be&amp;rechnen</translation>
    </message>
    <message>
        <source>Open a program to see its landscape.</source>
        <translation>Öffnen Sie ein Programm, um seine Landschaft zu sehen.</translation>
    </message>
</context>
<context>
    <name>LandscapePlot</name>
    <message>
        <source>Arrow keys move a cursor, Enter asks what if the run had begun there.</source>
        <translation>Pfeiltasten bewegen einen Cursor; die Eingabetaste fragt, was wäre, wenn der Lauf dort begonnen hätte.</translation>
    </message>
    <message>
        <source>Landscape of the loss</source>
        <translation>Landschaft des Loss</translation>
    </message>
</context>
<context>
    <name>LandscapeToolbar</name>
    <message>
        <source>&amp;All Rows</source>
        <translation>&amp;Alle Zeilen</translation>
    </message>
    <message>
        <source>&amp;Equal Axes</source>
        <translation>&amp;Gleiche Achsen</translation>
    </message>
    <message>
        <source>&amp;Logarithmic Levels</source>
        <translation>&amp;Logarithmische Höhenlinien</translation>
    </message>
    <message>
        <source>&amp;Other Random Directions</source>
        <translation>Andere &amp;zufällige Richtungen</translation>
    </message>
    <message>
        <source>&amp;Show Everything</source>
        <translation>Alles &amp;zeigen</translation>
    </message>
    <message>
        <source>(one axis)</source>
        <translation>(eine Achse)</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>Berechnen</translation>
    </message>
    <message>
        <source>Compute the landscape around this moment</source>
        <translation>Die Landschaft um diesen Moment berechnen</translation>
    </message>
    <message>
        <source>Compute the loss on all rows of its data instead of the last batch</source>
        <translation>Den Loss auf allen Zeilen seiner Daten berechnen statt auf dem letzten Batch</translation>
    </message>
    <message>
        <source>Elements</source>
        <translation>Elemente</translation>
    </message>
    <message>
        <source>First axis</source>
        <translation>Erste Achse</translation>
    </message>
    <message>
        <source>Give both axes the same scale: the gradient is then at right angles to levels</source>
        <translation>Beiden Achsen denselben Maßstab geben: Der Gradient steht dann senkrecht auf den Höhenlinien</translation>
    </message>
    <message>
        <source>Kind of axes</source>
        <translation>Art der Achsen</translation>
    </message>
    <message>
        <source>Levels, axes, rows and directions</source>
        <translation>Höhenlinien, Achsen, Zeilen und Richtungen</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>Options</source>
        <translation>Optionen</translation>
    </message>
    <message>
        <source>Options of the landscape</source>
        <translation>Optionen der Landschaft</translation>
    </message>
    <message>
        <source>Principal directions</source>
        <translation>Hauptrichtungen</translation>
    </message>
    <message>
        <source>Random directions</source>
        <translation>Zufällige Richtungen</translation>
    </message>
    <message>
        <source>Second axis</source>
        <translation>Zweite Achse</translation>
    </message>
    <message>
        <source>Space the levels evenly on a logarithmic scale, which shows a flat valley</source>
        <translation>Die Höhenlinien auf einer logarithmischen Skala gleichmäßig verteilen; das zeigt ein flaches Tal</translation>
    </message>
    <message>
        <source>The element of the horizontal axis</source>
        <translation>Das Element der waagrechten Achse</translation>
    </message>
    <message>
        <source>The element of the vertical axis</source>
        <translation>Das Element der senkrechten Achse</translation>
    </message>
    <message>
        <source>The loss that is computed</source>
        <translation>Der Loss, der berechnet wird</translation>
    </message>
    <message>
        <source>What the axes are</source>
        <translation>Was die Achsen sind</translation>
    </message>
</context>
<context>
    <name>LandscapeView</name>
    <message>
        <source> and </source>
        <translation> und </translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>Abgebrochen.</translation>
    </message>
    <message>
        <source>Cancelled: only some of the points are computed.</source>
        <translation>Abgebrochen: Nur ein Teil der Punkte ist berechnet.</translation>
    </message>
    <message>
        <source>Computed after event {0}, where what it holds was different.</source>
        <translation>Berechnet nach Ereignis {0}, wo anderes festgehalten war.</translation>
    </message>
    <message>
        <source>Computing the landscape…</source>
        <translation>Die Landschaft wird berechnet…</translation>
    </message>
    <message>
        <source>Double-click a place to see the run begin there.</source>
        <translation>Doppelklick: Lauf von dort beginnen.</translation>
    </message>
    <message>
        <source>Landscape</source>
        <translation>Landschaft</translation>
    </message>
    <message>
        <source>Points that are computed</source>
        <translation>Punkte, die berechnet werden</translation>
    </message>
    <message>
        <source>The loss over the two directions along which the trajectory varies most</source>
        <translation>Der Loss über die zwei Richtungen, entlang derer die Trajektorie am meisten variiert</translation>
    </message>
    <message>
        <source>The loss over two random directions, each filter of which is as long as the weight's</source>
        <translation>Der Loss über zwei zufällige Richtungen, in denen jeder Filter so lang ist wie der des Gewichts</translation>
    </message>
    <message>
        <source>The loss over {0}, while all other parameters stay as they are</source>
        <translation>Der Loss über {0}, während alle anderen Parameter bleiben, wie sie sind</translation>
    </message>
    <message>
        <source>This program trains no tensor: there is no landscape.</source>
        <translation>Dieses Programm trainiert keinen Tensor: Es gibt keine Landschaft.</translation>
    </message>
    <message>
        <source>What If It &amp;Moved Here Now</source>
        <translation>Was wäre, wenn er jetzt hierher &amp;ginge</translation>
    </message>
    <message>
        <source>What If the Run Had &amp;Begun Here</source>
        <translation>Was wäre, wenn der Lauf hier &amp;begonnen hätte</translation>
    </message>
    <message>
        <source>about {0} s</source>
        <translation>etwa {0} s</translation>
    </message>
    <message>
        <source>less than a second</source>
        <translation>weniger als eine Sekunde</translation>
    </message>
    <message>
        <source>norm {0}</source>
        <translation>Norm {0}</translation>
    </message>
    <message>
        <source>not computed</source>
        <translation>nicht berechnet</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Step</translation>
    </message>
    <message>
        <source>{0} points</source>
        <translation>{0} Punkte</translation>
    </message>
    <message>
        <source>{0} × {0} points</source>
        <translation>{0} × {0} Punkte</translation>
    </message>
    <message>
        <source>{shown}: {points}, each one Forward; {time}.</source>
        <translation>{shown}: {points}, jeder ein Forward; {time}.</translation>
    </message>
    <message>
        <source>−gradient</source>
        <translation>−Gradient</translation>
    </message>
</context>
<context>
    <name>Legend</name>
    <message numerus="yes">
        <source>+%n more</source>
        <translation><numerusform>+%n weitere</numerusform><numerusform>+%n weitere</numerusform></translation>
    </message>
    <message>
        <source>Legend</source>
        <translation>Legende</translation>
    </message>
</context>
<context>
    <name>LegendBar</name>
    <message>
        <source>Colour scale</source>
        <translation>Farbskala</translation>
    </message>
    <message>
        <source>all {0}</source>
        <translation>alle {0}</translation>
    </message>
    <message>
        <source>from {0} to {1}</source>
        <translation>von {0} bis {1}</translation>
    </message>
    <message>
        <source>no finite values</source>
        <translation>keine endlichen Werte</translation>
    </message>
</context>
<context>
    <name>LessonController</name>
    <message>
        <source>check the lesson</source>
        <translation>die Lektion zu prüfen</translation>
    </message>
    <message>
        <source>do what the lesson asks for</source>
        <translation>zu tun, was die Lektion verlangt</translation>
    </message>
    <message>
        <source>draw a lesson</source>
        <translation>eine Lektion zu zeichnen</translation>
    </message>
    <message>
        <source>edit the lesson</source>
        <translation>die Lektion zu bearbeiten</translation>
    </message>
    <message>
        <source>edit {name}</source>
        <translation>{name} zu bearbeiten</translation>
    </message>
    <message>
        <source>go on</source>
        <translation>fortzufahren</translation>
    </message>
    <message>
        <source>make a lesson</source>
        <translation>eine Lektion zu machen</translation>
    </message>
    <message>
        <source>open the lesson</source>
        <translation>die Lektion zu öffnen</translation>
    </message>
    <message>
        <source>open {name}</source>
        <translation>{name} zu öffnen</translation>
    </message>
    <message>
        <source>restart the lesson</source>
        <translation>die Lektion neu zu starten</translation>
    </message>
    <message>
        <source>skip the question</source>
        <translation>die Frage zu überspringen</translation>
    </message>
    <message>
        <source>take the answer</source>
        <translation>die Antwort zu nehmen</translation>
    </message>
    <message>
        <source>undo</source>
        <translation>es rückgängig zu machen</translation>
    </message>
</context>
<context>
    <name>LessonDialog</name>
    <message>
        <source>Each lesson asks before it tells. {done} of {all} are done.</source>
        <translation>Jede Lektion fragt, bevor sie erklärt. {done} von {all} sind erledigt.</translation>
    </message>
    <message>
        <source>Lessons</source>
        <translation>Lektionen</translation>
    </message>
</context>
<context>
    <name>LessonDialogController</name>
    <message>
        <source>&amp;Open as Lesson</source>
        <translation>Als Lektion ö&amp;ffnen</translation>
    </message>
    <message>
        <source>A lesson has steps, with questions that are answered before the press. It is tried out as you type; on the right is what a learner reads whose answers are all right.</source>
        <translation>Eine Lektion hat Schritte mit Fragen, die vor dem Drücken beantwortet werden. Sie wird beim Tippen ausprobiert; rechts steht, was liest, wer alles richtig beantwortet.</translation>
    </message>
    <message>
        <source>Edit {name}</source>
        <translation>{name} bearbeiten</translation>
    </message>
    <message>
        <source>Lesson</source>
        <translation>Lektion</translation>
    </message>
    <message>
        <source>Open it from its first step</source>
        <translation>Von ihrem ersten Schritt an öffnen</translation>
    </message>
    <message>
        <source>Saved as {path}</source>
        <translation>Gespeichert als {path}</translation>
    </message>
    <message>
        <source>Step or Question</source>
        <translation>Schritt oder Frage</translation>
    </message>
</context>
<context>
    <name>LessonDrafts</name>
    <message>
        <source>Valid lesson: {0}, {1}.</source>
        <translation>Gültige Lektion: {0}, {1}.</translation>
    </message>
    <message>
        <source>{0} question</source>
        <translation>{0} Frage</translation>
    </message>
    <message>
        <source>{0} questions</source>
        <translation>{0} Fragen</translation>
    </message>
    <message>
        <source>{0} step</source>
        <translation>{0} Schritt</translation>
    </message>
    <message>
        <source>{0} steps</source>
        <translation>{0} Schritte</translation>
    </message>
</context>
<context>
    <name>LessonList</name>
    <message>
        <source>Search the lessons</source>
        <translation>Die Lektionen durchsuchen</translation>
    </message>
    <message>
        <source>done</source>
        <translation>erledigt</translation>
    </message>
</context>
<context>
    <name>LessonPreviewView</name>
    <message>
        <source>Question</source>
        <translation>Frage</translation>
    </message>
    <message>
        <source>What a learner reads</source>
        <translation>Was Lernende lesen</translation>
    </message>
</context>
<context>
    <name>LessonStepsView</name>
    <message>
        <source>&amp;Restart</source>
        <translation>&amp;Neu starten</translation>
    </message>
    <message>
        <source>A&amp;ll Lessons</source>
        <translation>A&amp;lle Lektionen</translation>
    </message>
    <message>
        <source>Begin this lesson anew</source>
        <translation>Diese Lektion neu beginnen</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Erledigt</translation>
    </message>
    <message>
        <source>Done: {right} of {all} predictions right</source>
        <translation>Erledigt: {right} von {all} Vorhersagen richtig</translation>
    </message>
    <message>
        <source>Ne&amp;xt Lesson</source>
        <translation>N&amp;ächste Lektion</translation>
    </message>
    <message>
        <source>Next: {title}</source>
        <translation>Weiter: {title}</translation>
    </message>
    <message>
        <source>Open a lesson to see it here.</source>
        <translation>Öffnen Sie eine Lektion, um sie hier zu sehen.</translation>
    </message>
    <message>
        <source>Steps done</source>
        <translation>Erledigte Schritte</translation>
    </message>
    <message>
        <source>{done} of {all}</source>
        <translation>{done} von {all}</translation>
    </message>
</context>
<context>
    <name>LessonView</name>
    <message>
        <source>Lesson</source>
        <translation>Lektion</translation>
    </message>
</context>
<context>
    <name>LineEditor</name>
    <message>
        <source>Drag to move this line</source>
        <translation>Ziehen, um diese Zeile zu verschieben</translation>
    </message>
</context>
<context>
    <name>LoopEditor</name>
    <message>
        <source>&amp;Batch size of {0}, or "all":</source>
        <translation>&amp;Batch-Größe von {0}, oder "all":</translation>
    </message>
    <message>
        <source>&amp;{0} of {1}:</source>
        <translation>&amp;{0} von {1}:</translation>
    </message>
    <message>
        <source>At the End of an Epoch</source>
        <translation>Am Ende einer Epoche</translation>
    </message>
    <message>
        <source>Batch Size of {0}…</source>
        <translation>Batch-Größe von {0}…</translation>
    </message>
    <message>
        <source>Delete Line</source>
        <translation>Zeile löschen</translation>
    </message>
    <message>
        <source>Duplicate Line</source>
        <translation>Zeile verdoppeln</translation>
    </message>
    <message>
        <source>In Every Iteration</source>
        <translation>In jeder Iteration</translation>
    </message>
    <message>
        <source>In Every Second Iteration</source>
        <translation>In jeder zweiten Iteration</translation>
    </message>
    <message>
        <source>In Every {0}th Iteration</source>
        <translation>In jeder {0}. Iteration</translation>
    </message>
    <message>
        <source>Insert Line Below</source>
        <translation>Zeile darunter einfügen</translation>
    </message>
    <message>
        <source>Insert Line Below…</source>
        <translation>Zeile darunter einfügen…</translation>
    </message>
    <message>
        <source>Maximum Norm…</source>
        <translation>Größte Norm…</translation>
    </message>
    <message>
        <source>Maximum Value…</source>
        <translation>Größter Wert…</translation>
    </message>
    <message>
        <source>Move Line Down</source>
        <translation>Zeile nach unten</translation>
    </message>
    <message>
        <source>Move Line Up</source>
        <translation>Zeile nach oben</translation>
    </message>
    <message>
        <source>Retain Graph</source>
        <translation>Graph behalten</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Set Batch Size</source>
        <translation>Batch-Größe setzen</translation>
    </message>
    <message>
        <source>Set to None</source>
        <translation>Auf None setzen</translation>
    </message>
    <message>
        <source>Switch Line Off</source>
        <translation>Zeile ausschalten</translation>
    </message>
    <message>
        <source>Switch Line Off or On</source>
        <translation>Zeile aus- oder einschalten</translation>
    </message>
    <message>
        <source>Switch Line On</source>
        <translation>Zeile einschalten</translation>
    </message>
    <message>
        <source>{0} is not a number above 0.</source>
        <translation>{0} ist keine Zahl über 0.</translation>
    </message>
    <message>
        <source>{0} is not a whole number from 1, or "all".</source>
        <translation>{0} ist keine ganze Zahl ab 1 und nicht "all".</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>&amp;Recover</source>
        <translation>&amp;Wiederherstellen</translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation>Verbindung wird aufgebaut…</translation>
    </message>
    <message>
        <source>GradStep ended unexpectedly last time</source>
        <translation>GradStep wurde beim letzten Mal unerwartet beendet</translation>
    </message>
    <message>
        <source>Open &amp;Recent</source>
        <translation>&amp;Zuletzt geöffnet</translation>
    </message>
    <message>
        <source>Opening {0}…</source>
        <translation>{0} wird geöffnet…</translation>
    </message>
    <message>
        <source>Opening…</source>
        <translation>Wird geöffnet…</translation>
    </message>
    <message>
        <source>Starting {0}…

It will be held before its first operation. Importing PyTorch can take several seconds.</source>
        <translation>{0} wird gestartet…

Das Skript wird vor seiner ersten Operation angehalten. PyTorch zu importieren kann mehrere Sekunden dauern.</translation>
    </message>
    <message>
        <source>The error log cannot be written: {0}</source>
        <translation>Das Fehlerprotokoll kann nicht geschrieben werden: {0}</translation>
    </message>
    <message>
        <source>There is no home folder: settings and recordings go with this window</source>
        <translation>Es gibt kein Home-Verzeichnis: Einstellungen und Aufzeichnungen gehen mit diesem Fenster verloren</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Zeitleiste</translation>
    </message>
    <message>
        <source>What was open was recorded, up to the last event.</source>
        <translation>Was offen war, ist bis zum letzten Ereignis aufgezeichnet.</translation>
    </message>
    <message>
        <source>copy an error report before you close it</source>
        <translation>kopieren Sie einen Fehlerbericht, bevor Sie ihn schließen</translation>
    </message>
    <message>
        <source>set HOME to a folder that you can write to, and start again</source>
        <translation>setzen Sie HOME auf einen Ordner, in den Sie schreiben können, und starten Sie neu</translation>
    </message>
</context>
<context>
    <name>Menu</name>
    <message>
        <source>&amp;Break</source>
        <translation>Ha&amp;ltepunkte</translation>
    </message>
    <message>
        <source>&amp;Debug</source>
        <translation>De&amp;bug</translation>
    </message>
    <message>
        <source>&amp;Experiment</source>
        <translation>&amp;Experiment</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>&amp;Lessons</source>
        <translation>Le&amp;ktionen</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
</context>
<context>
    <name>MessageBar</name>
    <message>
        <source>Dismiss</source>
        <translation>Ausblenden</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Meldung</translation>
    </message>
    <message>
        <source>Show all messages</source>
        <translation>Alle Meldungen zeigen</translation>
    </message>
</context>
<context>
    <name>MessagePresenter</name>
    <message>
        <source>&amp;Restore</source>
        <translation>&amp;Wiederherstellen</translation>
    </message>
    <message>
        <source>Branch “{name}” was removed</source>
        <translation>Der Zweig „{name}“ wurde entfernt</translation>
    </message>
    <message>
        <source>check that it calls its training, and its arguments</source>
        <translation>prüfen Sie, ob es sein Training aufruft, und seine Argumente</translation>
    </message>
    <message>
        <source>choose another (--python), or use --stand-in</source>
        <translation>wählen Sie ein anderes (--python), oder benutzen Sie --stand-in</translation>
    </message>
    <message>
        <source>its traceback is in Output</source>
        <translation>sein Traceback steht in „Ausgabe“</translation>
    </message>
    <message>
        <source>line {0}</source>
        <translation>Zeile {0}</translation>
    </message>
    <message>
        <source>open another copy, or an autosave</source>
        <translation>öffnen Sie eine andere Kopie oder eine automatische Sicherung</translation>
    </message>
    <message>
        <source>{0} ended at {2}: {1}</source>
        <translation>{0} ist beendet ({2}): {1}</translation>
    </message>
    <message>
        <source>{0} ended without training anything</source>
        <translation>{0} ist beendet, ohne etwas trainiert zu haben</translation>
    </message>
    <message>
        <source>{0} ended: {1}</source>
        <translation>{0} ist beendet: {1}</translation>
    </message>
    <message>
        <source>{0}: its Python has no PyTorch</source>
        <translation>{0}: sein Python hat kein PyTorch</translation>
    </message>
</context>
<context>
    <name>Messages</name>
    <message>
        <source>&amp;Edit Document</source>
        <translation>&amp;Dokument bearbeiten</translation>
    </message>
    <message>
        <source>&amp;Show</source>
        <translation>&amp;Zeigen</translation>
    </message>
    <message>
        <source>Could not {0}: {1}</source>
        <translation>Es ist nicht gelungen, {0}: {1}</translation>
    </message>
</context>
<context>
    <name>MovePage</name>
    <message>
        <source>Event to move</source>
        <translation>Zu verschiebendes Ereignis</translation>
    </message>
    <message>
        <source>Move before event</source>
        <translation>Verschieben vor Ereignis</translation>
    </message>
    <message>
        <source>before</source>
        <translation>vor</translation>
    </message>
    <message>
        <source>{one}, before {other}</source>
        <translation>{one}, vor {other}</translation>
    </message>
</context>
<context>
    <name>NodeDetails</name>
    <message>
        <source>A tensor that this node saved was changed in place after Forward, so Backward will fail. Press Forward again first.</source>
        <translation>Ein Tensor, den dieser Knoten gespeichert hat, wurde nach Forward in-place geändert; Backward wird also fehlschlagen. Drücken Sie zuerst noch einmal Forward.</translation>
    </message>
    <message>
        <source>Details of the selected node</source>
        <translation>Einzelheiten des ausgewählten Knotens</translation>
    </message>
    <message>
        <source>a leaf: its gradient accumulates in .grad</source>
        <translation>ein Blatt: sein Gradient sammelt sich in .grad</translation>
    </message>
    <message>
        <source>a module call: the operations it recorded, and its leaves</source>
        <translation>ein Modulaufruf: die Operationen, die er aufgezeichnet hat, und ihre Blätter</translation>
    </message>
    <message>
        <source>an operation of {0}</source>
        <translation>eine Operation von {0}</translation>
    </message>
    <message>
        <source>an operation of {0}, call {1} of {2}</source>
        <translation>eine Operation von {0}, Aufruf {1} von {2}</translation>
    </message>
    <message>
        <source>an operation outside any module</source>
        <translation>eine Operation außerhalb aller Module</translation>
    </message>
    <message>
        <source>freed by a Backward</source>
        <translation>von einem Backward freigegeben</translation>
    </message>
    <message>
        <source>gradient from {0}</source>
        <translation>Gradient von {0}</translation>
    </message>
    <message>
        <source>gradient to {0}</source>
        <translation>Gradient an {0}</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>Optimizer</translation>
    </message>
    <message>
        <source>result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>saved</source>
        <translation>gespeichert</translation>
    </message>
    <message>
        <source>saved {0}</source>
        <translation>{0} gespeichert</translation>
    </message>
    <message>
        <source>shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>the loss, where Backward starts</source>
        <translation>der Loss, bei dem Backward beginnt</translation>
    </message>
    <message>
        <source>used</source>
        <translation>benutzt</translation>
    </message>
    <message>
        <source>version</source>
        <translation>Version</translation>
    </message>
    <message>
        <source>version {0}</source>
        <translation>Version {0}</translation>
    </message>
    <message>
        <source>{0} times</source>
        <translation>{0}-mal</translation>
    </message>
    <message>
        <source>⚠ version is now {0}</source>
        <translation>⚠ Version ist jetzt {0}</translation>
    </message>
</context>
<context>
    <name>NumberDelegate</name>
    <message>
        <source>New value</source>
        <translation>Neuer Wert</translation>
    </message>
</context>
<context>
    <name>OperationButton</name>
    <message>
        <source>next in the loop</source>
        <translation>als Nächstes in der Schleife</translation>
    </message>
</context>
<context>
    <name>OptimizerInspectorView</name>
    <message>
        <source>Held tensors and their state</source>
        <translation>Gehaltene Tensoren und ihr Zustand</translation>
    </message>
    <message>
        <source>Loading {0}…</source>
        <translation>{0} wird geladen…</translation>
    </message>
    <message>
        <source>No state yet: {0} creates it in the first Step.</source>
        <translation>Noch kein Zustand: {0} legt ihn im ersten Step an.</translation>
    </message>
    <message>
        <source>Open a program to see its optimizers here.</source>
        <translation>Öffnen Sie ein Programm, um hier seine Optimizer zu sehen.</translation>
    </message>
    <message>
        <source>The script has not used an optimizer yet.</source>
        <translation>Das Skript hat noch keinen Optimizer benutzt.</translation>
    </message>
    <message>
        <source>This program has no optimizer.</source>
        <translation>Dieses Programm hat keinen Optimizer.</translation>
    </message>
    <message>
        <source>{0} has no state for these tensors.</source>
        <translation>{0} hat keinen Zustand für diese Tensoren.</translation>
    </message>
    <message>
        <source>{0} has no state for these tensors: no Step found a gradient.</source>
        <translation>{0} hat keinen Zustand für diese Tensoren: Kein Step hat einen Gradienten gefunden.</translation>
    </message>
    <message>
        <source>{0} keeps no state for these tensors while momentum is 0.</source>
        <translation>{0} behält keinen Zustand für diese Tensoren, solange momentum 0 ist.</translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>{0} von {1}</translation>
    </message>
    <message>
        <source>{0} was not recorded here.</source>
        <translation>{0} wurde hier nicht aufgezeichnet.</translation>
    </message>
</context>
<context>
    <name>OptimizerTensorModel</name>
    <message>
        <source>Just changed by {0}</source>
        <translation>Gerade geändert von {0}</translation>
    </message>
    <message>
        <source>Max</source>
        <translation>Max</translation>
    </message>
    <message>
        <source>Min</source>
        <translation>Min</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>no state</source>
        <translation>kein Zustand</translation>
    </message>
    <message>
        <source>no state yet</source>
        <translation>noch kein Zustand</translation>
    </message>
    <message>
        <source>state kept with the first tensor</source>
        <translation>Zustand beim ersten Tensor</translation>
    </message>
    <message>
        <source>⚠ foreign: no loss depends on it</source>
        <translation>⚠ fremd: kein Loss hängt davon ab</translation>
    </message>
    <message>
        <source>⚠ held twice</source>
        <translation>⚠ doppelt gehalten</translation>
    </message>
    <message>
        <source>⚠ stale: the module has another tensor now</source>
        <translation>⚠ veraltet: das Modul hat jetzt einen anderen Tensor</translation>
    </message>
</context>
<context>
    <name>OtherOperationsMenu</name>
    <message>
        <source>Other Operatio&amp;ns</source>
        <translation>Weitere Operatio&amp;nen</translation>
    </message>
    <message>
        <source>{0} to…</source>
        <translation>{0} auf…</translation>
    </message>
    <message>
        <source>{0}: Other…</source>
        <translation>{0}: Anderer…</translation>
    </message>
</context>
<context>
    <name>OtherValueDialogController</name>
    <message>
        <source>&amp;Batch size of {0}, or "all":</source>
        <translation>&amp;Batch-Größe von {0}, oder "all":</translation>
    </message>
    <message>
        <source>&amp;Maximum absolute value in the gradients of {0}:</source>
        <translation>Größter &amp;Betrag in den Gradienten von {0}:</translation>
    </message>
    <message>
        <source>&amp;Maximum norm of the gradients of {0}:</source>
        <translation>Größte &amp;Norm der Gradienten von {0}:</translation>
    </message>
</context>
<context>
    <name>OutputText</name>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
</context>
<context>
    <name>OutputView</name>
    <message>
        <source>Clear</source>
        <translation>Leeren</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy the selected text, or all of it</source>
        <translation>Den ausgewählten Text kopieren, oder alles</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Find in the output</source>
        <translation>In der Ausgabe suchen</translation>
    </message>
    <message>
        <source>Find in the output (Ctrl+F)</source>
        <translation>In der Ausgabe suchen (Strg+F)</translation>
    </message>
    <message>
        <source>Forget the output up to here</source>
        <translation>Die Ausgabe bis hierher verwerfen</translation>
    </message>
    <message>
        <source>Go to the next place (F3)</source>
        <translation>Zur nächsten Stelle (F3)</translation>
    </message>
    <message>
        <source>Go to the place before (Shift+F3)</source>
        <translation>Zur vorigen Stelle (Umschalt+F3)</translation>
    </message>
    <message>
        <source>Input for the script: Enter sends the line, Ctrl+D ends the input</source>
        <translation>Eingabe für das Skript: Die Eingabetaste sendet die Zeile, Strg+D beendet die Eingabe</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>Previous</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Script whose output is shown</source>
        <translation>Skript, dessen Ausgabe gezeigt wird</translation>
    </message>
    <message>
        <source>Stop finding (Esc)</source>
        <translation>Suche beenden (Esc)</translation>
    </message>
    <message>
        <source>The script has ended</source>
        <translation>Das Skript ist beendet</translation>
    </message>
    <message>
        <source>The script waits for a line: type it here, and press Enter</source>
        <translation>Das Skript wartet auf eine Zeile: Geben Sie sie hier ein, und drücken Sie die Eingabetaste</translation>
    </message>
    <message>
        <source>This script prints where it was started, such as the terminal of gradstep debug. One that is opened in the window prints here.</source>
        <translation>Dieses Skript schreibt dorthin, wo es gestartet wurde, etwa in das Terminal von gradstep debug. Eines, das im Fenster geöffnet wird, schreibt hierher.</translation>
    </message>
    <message>
        <source>What a script prints is not part of its session. It is shown here while the script is run with File &gt; Run Script…</source>
        <translation>Was ein Skript ausgibt, ist kein Teil seiner Sitzung. Es steht hier, während das Skript mit Datei &gt; Skript ausführen… läuft.</translation>
    </message>
    <message>
        <source>What a script prints is shown here: open one with File &gt; Run Script…</source>
        <translation>Was ein Skript ausgibt, steht hier: Öffnen Sie eines mit Datei &gt; Skript ausführen…</translation>
    </message>
    <message>
        <source>What the script printed is not here. It ended with this error:</source>
        <translation>Was das Skript ausgegeben hat, steht nicht hier. Es endete mit diesem Fehler:</translation>
    </message>
    <message>
        <source>not found</source>
        <translation>nicht gefunden</translation>
    </message>
    <message>
        <source>{0} (recorded)</source>
        <translation>{0} (aufgezeichnet)</translation>
    </message>
</context>
<context>
    <name>Overlays</name>
    <message>
        <source>no iteration is complete</source>
        <translation>keine Iteration ist abgeschlossen</translation>
    </message>
    <message>
        <source>overlay the sessions again, or run with other seeds again</source>
        <translation>überlagern Sie die Sitzungen erneut, oder führen Sie erneut mit anderen Seeds aus</translation>
    </message>
    <message>
        <source>run some iterations first</source>
        <translation>führen Sie zuerst einige Iterationen aus</translation>
    </message>
    <message>
        <source>seed {number}</source>
        <translation>Seed {number}</translation>
    </message>
    <message>
        <source>the curves of other runs in the session are damaged</source>
        <translation>die Kurven anderer Läufe in der Sitzung sind beschädigt</translation>
    </message>
</context>
<context>
    <name>Panel</name>
    <message>
        <source>Logarithmic axis of {title}</source>
        <translation>Logarithmische Achse von {title}</translation>
    </message>
    <message>
        <source>Logarithmic axis; values of 0 and below are not drawn</source>
        <translation>Logarithmische Achse; Werte von 0 und darunter werden nicht gezeichnet</translation>
    </message>
    <message>
        <source>Show {title}</source>
        <translation>{title} zeigen</translation>
    </message>
    <message>
        <source>log</source>
        <translation>log</translation>
    </message>
    <message>
        <source>not drawn: {0}</source>
        <translation>nicht gezeichnet: {0}</translation>
    </message>
    <message>
        <source>values are known at the points only</source>
        <translation>Werte sind nur an den Punkten bekannt</translation>
    </message>
    <message>
        <source>{0} older run</source>
        <translation>{0} älterer Lauf</translation>
    </message>
    <message>
        <source>{0} older runs</source>
        <translation>{0} ältere Läufe</translation>
    </message>
</context>
<context>
    <name>ParameterModel</name>
    <message>
        <source>A module buffer: no optimizer updates it</source>
        <translation>Ein Buffer des Moduls: kein Optimizer ändert ihn</translation>
    </message>
    <message>
        <source>Autograd does not record operations on {0}: Backward does not write its .grad</source>
        <translation>Autograd zeichnet keine Operationen auf {0} auf: Backward schreibt sein .grad nicht</translation>
    </message>
    <message>
        <source>Autograd records operations on {0}</source>
        <translation>Autograd zeichnet Operationen auf {0} auf</translation>
    </message>
    <message>
        <source>False (frozen)</source>
        <translation>False (eingefroren)</translation>
    </message>
    <message>
        <source>Held by {0}</source>
        <translation>Gehalten von {0}</translation>
    </message>
    <message>
        <source>Just changed by {0}</source>
        <translation>Gerade geändert von {0}</translation>
    </message>
    <message>
        <source>Modules and their tensors</source>
        <translation>Module und ihre Tensoren</translation>
    </message>
    <message>
        <source>No optimizer holds it</source>
        <translation>Kein Optimizer hält ihn</translation>
    </message>
    <message>
        <source>No optimizer holds {0}, so no Step updates it</source>
        <translation>Kein Optimizer hält {0}, also ändert ihn kein Step</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimizer</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>The gradient, in the same way; None means that there is none, which is not zero</source>
        <translation>Der Gradient, ebenso; None heißt, dass es keinen gibt, und das ist nicht null</translation>
    </message>
    <message>
        <source>The number of in-place writes</source>
        <translation>Die Anzahl der In-place-Änderungen</translation>
    </message>
    <message>
        <source>The optimizers that hold this tensor</source>
        <translation>Die Optimizer, die diesen Tensor halten</translation>
    </message>
    <message>
        <source>The size of each dimension</source>
        <translation>Die Größe jeder Dimension</translation>
    </message>
    <message>
        <source>The values of a small tensor, the Euclidean norm of a larger one</source>
        <translation>Die Werte eines kleinen Tensors, die euklidische Norm eines größeren</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>Version</translation>
    </message>
    <message>
        <source>Whether autograd records operations on this tensor</source>
        <translation>Ob Autograd Operationen auf diesem Tensor aufzeichnet</translation>
    </message>
    <message>
        <source>buffer</source>
        <translation>Buffer</translation>
    </message>
    <message>
        <source>data</source>
        <translation>data</translation>
    </message>
    <message>
        <source>grad</source>
        <translation>grad</translation>
    </message>
    <message>
        <source>requires_grad</source>
        <translation>requires_grad</translation>
    </message>
    <message>
        <source>{0} in-place write so far</source>
        <translation>Bisher {0} In-place-Änderung</translation>
    </message>
    <message>
        <source>{0} in-place writes so far</source>
        <translation>Bisher {0} In-place-Änderungen</translation>
    </message>
    <message>
        <source>{0} is in evaluation mode</source>
        <translation>{0} ist im Auswertungsmodus</translation>
    </message>
    <message>
        <source>{0}, eval</source>
        <translation>{0}, eval</translation>
    </message>
    <message>
        <source>{0}.grad is None, which is not zero</source>
        <translation>{0}.grad ist None, und das ist nicht null</translation>
    </message>
    <message>
        <source>⚠ no optimizer</source>
        <translation>⚠ kein Optimizer</translation>
    </message>
</context>
<context>
    <name>ParametersView</name>
    <message>
        <source>Filter tensors by name</source>
        <translation>Tensoren nach Namen filtern</translation>
    </message>
    <message>
        <source>Modules and tensors</source>
        <translation>Module und Tensoren</translation>
    </message>
    <message>
        <source>Open a program to see its parameters here.</source>
        <translation>Öffnen Sie ein Programm, um hier seine Parameter zu sehen.</translation>
    </message>
    <message>
        <source>This program has no tensors.</source>
        <translation>Dieses Programm hat keine Tensoren.</translation>
    </message>
</context>
<context>
    <name>PlaceMenu</name>
    <message>
        <source>Break When It Changes</source>
        <translation>Anhalten, wenn es sich ändert</translation>
    </message>
    <message>
        <source>Watch</source>
        <translation>Überwachen</translation>
    </message>
    <message>
        <source>Who Changed It?</source>
        <translation>Wer hat es geändert?</translation>
    </message>
</context>
<context>
    <name>PlanePlot</name>
    <message>
        <source>Path of two parameters</source>
        <translation>Pfad zweier Parameter</translation>
    </message>
    <message>
        <source>The square marks the start, the filled circle the current point.</source>
        <translation>Das Quadrat markiert den Anfang, der gefüllte Kreis den aktuellen Punkt.</translation>
    </message>
</context>
<context>
    <name>PlotsToolbar</name>
    <message>
        <source>&amp;Export</source>
        <translation>&amp;Exportieren</translation>
    </message>
    <message>
        <source>&amp;Other Runs</source>
        <translation>Andere &amp;Läufe</translation>
    </message>
    <message>
        <source>&amp;Plane of Two Elements</source>
        <translation>&amp;Ebene zweier Elemente</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>Choose the losses, tensors and elements to draw</source>
        <translation>Die Losses, Tensoren und Elemente zum Zeichnen wählen</translation>
    </message>
    <message>
        <source>Compare the gradients and updates of the layers at this moment</source>
        <translation>Die Gradienten und Änderungen der Schichten in diesem Moment vergleichen</translation>
    </message>
    <message>
        <source>Curves</source>
        <translation>Kurven</translation>
    </message>
    <message>
        <source>Data (CSV)…</source>
        <translation>Daten (CSV)…</translation>
    </message>
    <message>
        <source>Draw the curves of other branches and the losses of overlaid runs, dashed</source>
        <translation>Die Kurven anderer Zweige und die Losses überlagerter Läufe zeichnen, gestrichelt</translation>
    </message>
    <message>
        <source>Gradient &amp;Flow</source>
        <translation>Gradienten&amp;fluss</translation>
    </message>
    <message>
        <source>Gradient flow, other runs, smoothing, and export (right-click in the plots)</source>
        <translation>Gradientenfluss, andere Läufe, Glättung und Export (Rechtsklick in den Plots)</translation>
    </message>
    <message>
        <source>Image (PNG)…</source>
        <translation>Bild (PNG)…</translation>
    </message>
    <message>
        <source>No smoothing</source>
        <translation>Keine Glättung</translation>
    </message>
    <message>
        <source>Number of iterations that Recent shows</source>
        <translation>Anzahl der Iterationen, die „Letzte“ zeigt</translation>
    </message>
    <message>
        <source>Number of recent iterations</source>
        <translation>Anzahl der letzten Iterationen</translation>
    </message>
    <message>
        <source>Options</source>
        <translation>Optionen</translation>
    </message>
    <message>
        <source>Options of the plots</source>
        <translation>Optionen der Plots</translation>
    </message>
    <message>
        <source>Plot one element against the other</source>
        <translation>Ein Element gegen das andere auftragen</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>Letzte</translation>
    </message>
    <message>
        <source>Show every iteration (double-click an axis)</source>
        <translation>Alle Iterationen zeigen (Doppelklick auf eine Achse)</translation>
    </message>
    <message>
        <source>Show the latest iterations</source>
        <translation>Die letzten Iterationen zeigen</translation>
    </message>
    <message>
        <source>Smoothing </source>
        <translation>Glättung </translation>
    </message>
    <message>
        <source>Smoothing of losses and metrics</source>
        <translation>Glättung von Losses und Metriken</translation>
    </message>
    <message>
        <source>Vector Graphics (SVG)…</source>
        <translation>Vektorgrafik (SVG)…</translation>
    </message>
    <message>
        <source>Weight of an exponential moving average of losses and metrics</source>
        <translation>Gewicht eines exponentiellen gleitenden Mittels von Losses und Metriken</translation>
    </message>
    <message>
        <source>iteration {number}</source>
        <translation>Iteration {number}</translation>
    </message>
</context>
<context>
    <name>PlotsView</name>
    <message>
        <source>.grad</source>
        <translation>.grad</translation>
    </message>
    <message>
        <source>.grad is None: Backward computes it.</source>
        <translation>.grad ist None: Backward berechnet es.</translation>
    </message>
    <message>
        <source>CSV files (*.csv)</source>
        <translation>CSV-Dateien (*.csv)</translation>
    </message>
    <message>
        <source>Export Plots</source>
        <translation>Plots exportieren</translation>
    </message>
    <message>
        <source>Images (*.png)</source>
        <translation>Bilder (*.png)</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>Metriken</translation>
    </message>
    <message>
        <source>No curves selected: press Curves and check what to draw.</source>
        <translation>Keine Kurven ausgewählt: Drücken Sie „Kurven“, und wählen Sie aus, was gezeichnet wird.</translation>
    </message>
    <message>
        <source>No loss yet: Forward computes one.</source>
        <translation>Noch kein Loss: Forward berechnet einen.</translation>
    </message>
    <message>
        <source>No metric computed yet.</source>
        <translation>Noch keine Metrik berechnet.</translation>
    </message>
    <message>
        <source>No output yet: recorded from the next Forward on.</source>
        <translation>Noch keine Ausgabe: wird ab dem nächsten Forward aufgezeichnet.</translation>
    </message>
    <message>
        <source>No values yet.</source>
        <translation>Noch keine Werte.</translation>
    </message>
    <message>
        <source>Outputs</source>
        <translation>Ausgaben</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Plots</source>
        <translation>Plots</translation>
    </message>
    <message>
        <source>Plots cannot be written as '{suffix}'</source>
        <translation>Plots lassen sich nicht als „{suffix}“ schreiben</translation>
    </message>
    <message>
        <source>Plots of losses, metrics, layer outputs, gradients and parameters</source>
        <translation>Plots von Losses, Metriken, Ausgaben der Schichten, Gradienten und Parametern</translation>
    </message>
    <message>
        <source>The values are NaN or infinite.</source>
        <translation>Die Werte sind NaN oder unendlich.</translation>
    </message>
    <message>
        <source>Vector graphics (*.svg)</source>
        <translation>Vektorgrafik (*.svg)</translation>
    </message>
    <message>
        <source>name the file .png, .svg or .csv</source>
        <translation>geben Sie der Datei die Endung .png, .svg oder .csv</translation>
    </message>
    <message>
        <source>{loss}, smoothed</source>
        <translation>{loss}, geglättet</translation>
    </message>
</context>
<context>
    <name>ProgramDialog</name>
    <message>
        <source>&amp;Go to Error</source>
        <translation>&amp;Zum Fehler</translation>
    </message>
    <message>
        <source>&amp;Insert</source>
        <translation>&amp;Einfügen</translation>
    </message>
    <message>
        <source>&amp;Open as Program</source>
        <translation>Als &amp;Programm öffnen</translation>
    </message>
    <message>
        <source>&amp;Save As…</source>
        <translation>Speichern &amp;unter…</translation>
    </message>
    <message>
        <source>&amp;Templates</source>
        <translation>&amp;Vorlagen</translation>
    </message>
    <message>
        <source>Insert an entry where it belongs, with its required fields</source>
        <translation>Einen Eintrag dort einfügen, wo er hingehört, mit seinen Pflichtfeldern</translation>
    </message>
    <message>
        <source>Insert at the cursor</source>
        <translation>An der Schreibmarke einfügen</translation>
    </message>
    <message>
        <source>Line {0}: </source>
        <translation>Zeile {0}: </translation>
    </message>
    <message>
        <source>Open it as a new program ({keys})</source>
        <translation>Als neues Programm öffnen ({keys})</translation>
    </message>
    <message>
        <source>Replace this document with an included one</source>
        <translation>Dieses Dokument durch ein mitgeliefertes ersetzen</translation>
    </message>
    <message>
        <source>Replace this document with an included program</source>
        <translation>Dieses Dokument durch ein mitgeliefertes Programm ersetzen</translation>
    </message>
    <message>
        <source>Save it as a program?</source>
        <translation>Als Programm speichern?</translation>
    </message>
    <message>
        <source>This document has unsaved changes.</source>
        <translation>Dieses Dokument hat ungespeicherte Änderungen.</translation>
    </message>
    <message>
        <source>Unsaved Document</source>
        <translation>Ungespeichertes Dokument</translation>
    </message>
</context>
<context>
    <name>ProgramDialogController</name>
    <message>
        <source>A program declares data, modules, losses and optimizers. It is checked as you type.</source>
        <translation>Ein Programm nennt Daten, Module, Losses und Optimizer. Es wird beim Tippen geprüft.</translation>
    </message>
    <message>
        <source>Edit {name}</source>
        <translation>{name} bearbeiten</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>Saved as {path}</source>
        <translation>Gespeichert als {path}</translation>
    </message>
</context>
<context>
    <name>ProgramEditor</name>
    <message>
        <source>Criterion</source>
        <translation>Kriterium</translation>
    </message>
    <message>
        <source>Data Set</source>
        <translation>Datensatz</translation>
    </message>
    <message>
        <source>Initial Values</source>
        <translation>Anfangswerte</translation>
    </message>
    <message>
        <source>Iterations of a Line</source>
        <translation>Iterationen einer Zeile</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Loop Line</source>
        <translation>Zeile der Schleife</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>Metrik</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimizer</translation>
    </message>
    <message>
        <source>Scheduler</source>
        <translation>Scheduler</translation>
    </message>
</context>
<context>
    <name>ProgramView</name>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy the whole script</source>
        <translation>Das ganze Skript kopieren</translation>
    </message>
    <message>
        <source>File of the script</source>
        <translation>Datei des Skripts</translation>
    </message>
    <message>
        <source>Insert</source>
        <translation>Einfügen</translation>
    </message>
    <message>
        <source>Insert a line into the loop</source>
        <translation>Eine Zeile in die Schleife einfügen</translation>
    </message>
    <message>
        <source>Open a program to see its script here.</source>
        <translation>Öffnen Sie ein Programm, um hier sein Skript zu sehen.</translation>
    </message>
    <message>
        <source>PyTorch Script</source>
        <translation>PyTorch-Skript</translation>
    </message>
    <message>
        <source>Script</source>
        <translation>Skript</translation>
    </message>
</context>
<context>
    <name>QuestionBox</name>
    <message>
        <source>&amp;Answer</source>
        <translation>&amp;Antworten</translation>
    </message>
    <message>
        <source>&amp;No</source>
        <translation>&amp;Nein</translation>
    </message>
    <message>
        <source>&amp;None</source>
        <translation>&amp;None</translation>
    </message>
    <message>
        <source>&amp;Yes</source>
        <translation>&amp;Ja</translation>
    </message>
    <message>
        <source>A number, several, or None</source>
        <translation>Zahl, Zahlen oder None</translation>
    </message>
    <message>
        <source>Predict before you press</source>
        <translation>Sagen Sie voraus, bevor Sie drücken</translation>
    </message>
    <message>
        <source>See what happens without an answer</source>
        <translation>Ohne Antwort sehen, was geschieht</translation>
    </message>
    <message>
        <source>Skip this question</source>
        <translation>Diese Frage überspringen</translation>
    </message>
    <message>
        <source>There will be no value</source>
        <translation>Es wird keinen Wert geben</translation>
    </message>
    <message>
        <source>Your answer</source>
        <translation>Ihre Antwort</translation>
    </message>
</context>
<context>
    <name>RankController</name>
    <message>
        <source>look at the ranks</source>
        <translation>die Ranks anzusehen</translation>
    </message>
    <message>
        <source>show rank {0}</source>
        <translation>Rank {0} zu zeigen</translation>
    </message>
</context>
<context>
    <name>RanksDock</name>
    <message>
        <source>Rank {0} has failed: {1}</source>
        <translation>Rank {0} ist fehlgeschlagen: {1}</translation>
    </message>
    <message>
        <source>the Ranks dock has more</source>
        <translation>der Bereich „Ranks“ zeigt mehr</translation>
    </message>
    <message>
        <source>the Ranks dock has the values</source>
        <translation>der Bereich „Ranks“ zeigt die Werte</translation>
    </message>
</context>
<context>
    <name>RanksView</name>
    <message>
        <source>Compared With Rank 0</source>
        <translation>Verglichen mit Rank 0</translation>
    </message>
    <message>
        <source>Complete iterations</source>
        <translation>Abgeschlossene Iterationen</translation>
    </message>
    <message>
        <source>Differs before the first Step: {0}</source>
        <translation>Verschieden vor dem ersten Step: {0}</translation>
    </message>
    <message>
        <source>Differs since Step #{0}: {1}</source>
        <translation>Verschieden seit Step #{0}: {1}</translation>
    </message>
    <message>
        <source>DistributedDataParallel averages gradients: parameters stay equal only while every rank does the same with them.</source>
        <translation>DistributedDataParallel mittelt Gradienten: Parameter bleiben nur gleich, solange jeder Rank dasselbe mit ihnen tut.</translation>
    </message>
    <message>
        <source>Ended</source>
        <translation>Beendet</translation>
    </message>
    <message>
        <source>Ended by torchrun, after rank {0} had failed</source>
        <translation>Von torchrun beendet, nachdem Rank {0} fehlgeschlagen war</translation>
    </message>
    <message>
        <source>Ended with status {0}</source>
        <translation>Beendet mit Status {0}</translation>
    </message>
    <message>
        <source>Ended: {0}</source>
        <translation>Beendet: {0}</translation>
    </message>
    <message>
        <source>Equal after {0}</source>
        <translation>Gleich nach {0}</translation>
    </message>
    <message>
        <source>Equal again since Step #{0}</source>
        <translation>Wieder gleich seit Step #{0}</translation>
    </message>
    <message>
        <source>Event {0} on rank {1}</source>
        <translation>Ereignis {0} auf Rank {1}</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>Gradienten</translation>
    </message>
    <message>
        <source>Held before {0}</source>
        <translation>Angehalten vor {0}</translation>
    </message>
    <message>
        <source>Iteration</source>
        <translation>Iteration</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>Nothing that GradStep sees keeps them equal: each rank trains its own.</source>
        <translation>Nichts, was GradStep sieht, hält sie gleich: Jeder Rank trainiert seine eigenen.</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Process</source>
        <translation>Prozess</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>Rank</translation>
    </message>
    <message>
        <source>Rank {0} has failed</source>
        <translation>Rank {0} ist fehlgeschlagen</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>Ranks</translation>
    </message>
    <message>
        <source>Ranks ({0})</source>
        <translation>Ranks ({0})</translation>
    </message>
    <message>
        <source>Running after {0}</source>
        <translation>Läuft nach {0}</translation>
    </message>
    <message>
        <source>Running {0}</source>
        <translation>Führt {0} aus</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>Startet</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>The largest difference in this tensor is {0}.</source>
        <translation>Der größte Unterschied in diesem Tensor ist {0}.</translation>
    </message>
    <message>
        <source>The loss that was computed last, on its own batch</source>
        <translation>Der Loss, der zuletzt berechnet wurde, auf dem eigenen Batch</translation>
    </message>
    <message>
        <source>The norm of all parameters</source>
        <translation>Die Norm aller Parameter</translation>
    </message>
    <message>
        <source>The norm of all their gradients</source>
        <translation>Die Norm aller ihrer Gradienten</translation>
    </message>
    <message>
        <source>The process, and the machine that it runs on</source>
        <translation>Der Prozess, und der Rechner, auf dem er läuft</translation>
    </message>
    <message>
        <source>The rank that is shown is bold; click another one</source>
        <translation>Der gezeigte Rank ist fett; klicken Sie auf einen anderen</translation>
    </message>
    <message>
        <source>There is one process.

The ranks of a script that torchrun starts are listed here: gradstep debug -- torchrun --nproc-per-node 2 train.py</source>
        <translation>Es gibt einen Prozess.

Hier stehen die Ranks eines Skripts, das torchrun startet: gradstep debug -- torchrun --nproc-per-node 2 train.py</translation>
    </message>
    <message>
        <source>Waits for other ranks after {0}</source>
        <translation>Wartet nach {0} auf andere Ranks</translation>
    </message>
    <message>
        <source>Waits for other ranks before its first operation</source>
        <translation>Wartet vor seiner ersten Operation auf andere Ranks</translation>
    </message>
    <message>
        <source>Waits for other ranks in {0}</source>
        <translation>Wartet in {0} auf andere Ranks</translation>
    </message>
    <message>
        <source>What is wrong with the ranks</source>
        <translation>Was mit den Ranks nicht stimmt</translation>
    </message>
    <message>
        <source>Where the process is</source>
        <translation>Wo der Prozess ist</translation>
    </message>
    <message>
        <source>Whether the parameters are equal after each Step, bit for bit</source>
        <translation>Ob die Parameter nach jedem Step gleich sind, Bit für Bit</translation>
    </message>
    <message>
        <source>{0} Step</source>
        <translation>{0} Step</translation>
    </message>
    <message>
        <source>{0} Steps</source>
        <translation>{0} Steps</translation>
    </message>
    <message>
        <source>{0} is {1} on rank {2} and {3} on rank {4}.</source>
        <translation>{0} ist {1} auf Rank {2} und {3} auf Rank {4}.</translation>
    </message>
    <message>
        <source>{0} other tensor differs.</source>
        <translation>{0} weiterer Tensor ist verschieden.</translation>
    </message>
    <message>
        <source>{0} other tensors differ.</source>
        <translation>{0} weitere Tensoren sind verschieden.</translation>
    </message>
</context>
<context>
    <name>RecoveryDialog</name>
    <message>
        <source>&amp;Delete…</source>
        <translation>&amp;Löschen…</translation>
    </message>
    <message>
        <source>&amp;Recover</source>
        <translation>&amp;Wiederherstellen</translation>
    </message>
    <message>
        <source>Delete Recordings</source>
        <translation>Aufzeichnungen löschen</translation>
    </message>
    <message>
        <source>Delete these {0} recordings?</source>
        <translation>Diese {0} Aufzeichnungen löschen?</translation>
    </message>
    <message>
        <source>Delete this recording?</source>
        <translation>Diese Aufzeichnung löschen?</translation>
    </message>
    <message>
        <source>Last Event</source>
        <translation>Letztes Ereignis</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>Recordings</source>
        <translation>Aufzeichnungen</translation>
    </message>
    <message>
        <source>Recover Session</source>
        <translation>Sitzung wiederherstellen</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>These sessions were open when GradStep ended unexpectedly. Each was recorded up to its last event, and is kept until you recover or delete it.</source>
        <translation>Diese Sitzungen waren offen, als GradStep unerwartet beendet wurde. Jede ist bis zu ihrem letzten Ereignis aufgezeichnet und bleibt erhalten, bis Sie sie wiederherstellen oder löschen.</translation>
    </message>
    <message>
        <source>This cannot be undone.</source>
        <translation>Das lässt sich nicht rückgängig machen.</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
</context>
<context>
    <name>RemedyDialog</name>
    <message>
        <source>Changes</source>
        <translation>Änderungen</translation>
    </message>
    <message>
        <source>Remedy</source>
        <translation>Abhilfe</translation>
    </message>
    <message>
        <source>What if it ran ...</source>
        <translation>Was wäre, wenn …</translation>
    </message>
    <message>
        <source>What if it ran {0}?</source>
        <translation>Was wäre, wenn: {0}?</translation>
    </message>
</context>
<context>
    <name>RemedyDialogController</name>
    <message>
        <source>&amp;Open Edited Program</source>
        <translation>&amp;Bearbeitetes Programm öffnen</translation>
    </message>
    <message>
        <source>&amp;Replay</source>
        <translation>&amp;Abspielen</translation>
    </message>
    <message>
        <source>Insert {0} before #{1}</source>
        <translation>{0} vor #{1} einfügen</translation>
    </message>
    <message>
        <source>Move {0} before #{1}</source>
        <translation>{0} vor #{1} verschieben</translation>
    </message>
    <message>
        <source>Set {0} to {1} before #{2}</source>
        <translation>{0} auf {1} setzen vor #{2}</translation>
    </message>
    <message>
        <source>Skip #{0} to #{1}, {2} events</source>
        <translation>#{0} bis #{1} überspringen, {2} Ereignisse</translation>
    </message>
    <message>
        <source>Skip {0}</source>
        <translation>{0} überspringen</translation>
    </message>
    <message>
        <source>The program is opened with these changes of its document, and the recorded operations up to the present event are applied to it.</source>
        <translation>Das Programm wird mit diesen Änderungen seines Dokuments geöffnet, und die aufgezeichneten Operationen bis zum gegenwärtigen Ereignis werden darauf angewendet.</translation>
    </message>
    <message>
        <source>The recorded events are replayed on a new branch with these changes. The current branch stays as it is.</source>
        <translation>Die aufgezeichneten Ereignisse werden mit diesen Änderungen auf einem neuen Zweig abgespielt. Der aktuelle Zweig bleibt, wie er ist.</translation>
    </message>
    <message>
        <source>and {0} more</source>
        <translation>und {0} weitere</translation>
    </message>
</context>
<context>
    <name>ResumeDialog</name>
    <message>
        <source>%v of %m events</source>
        <translation>%v von %m Ereignissen</translation>
    </message>
    <message>
        <source>&amp;Interrupt after event:</source>
        <translation>&amp;Unterbrechen nach Ereignis:</translation>
    </message>
    <message>
        <source>C&amp;opy Report</source>
        <translation>Bericht k&amp;opieren</translation>
    </message>
    <message>
        <source>Ca&amp;ncel</source>
        <translation>A&amp;bbrechen</translation>
    </message>
    <message>
        <source>Can this run be interrupted and resumed from a checkpoint?

The events after the interruption are replayed in new programs: one restores the whole state, others omit one part each (optimizer state, scheduler state, generator, data order), and one restores the weights only. Each result is compared with the recorded run, bit for bit. The open program does not change.</source>
        <translation>Lässt sich dieser Lauf unterbrechen und von einem Checkpoint fortsetzen?

Die Ereignisse nach der Unterbrechung werden in neuen Programmen wiederholt: eines stellt den ganzen Zustand wieder her, andere lassen je einen Teil aus (Zustand des Optimizers, Zustand des Schedulers, Generator, Reihenfolge der Daten), und eines stellt nur die Gewichte wieder her. Jedes Ergebnis wird mit dem aufgezeichneten Lauf verglichen, Bit für Bit. Das offene Programm ändert sich nicht.</translation>
    </message>
    <message>
        <source>Chec&amp;k</source>
        <translation>&amp;Prüfen</translation>
    </message>
    <message>
        <source>Difference in units in the last place</source>
        <translation>Unterschied in Einheiten der letzten Stelle</translation>
    </message>
    <message>
        <source>First Difference</source>
        <translation>Erster Unterschied</translation>
    </message>
    <message>
        <source>Fully Resumed</source>
        <translation>Ganz fortgesetzt</translation>
    </message>
    <message>
        <source>Interrupt after event</source>
        <translation>Unterbrechen nach Ereignis</translation>
    </message>
    <message>
        <source>Iteration</source>
        <translation>Iteration</translation>
    </message>
    <message>
        <source>Iterations completed before</source>
        <translation>Iterationen, die davor abgeschlossen waren</translation>
    </message>
    <message>
        <source>Losses after the interruption</source>
        <translation>Losses nach der Unterbrechung</translation>
    </message>
    <message>
        <source>Progress of the check</source>
        <translation>Fortschritt der Prüfung</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Resume Check</source>
        <translation>Fortsetzbarkeit prüfen</translation>
    </message>
    <message>
        <source>Resumed With</source>
        <translation>Fortgesetzt mit</translation>
    </message>
    <message>
        <source>Resumed runs</source>
        <translation>Fortgesetzte Läufe</translation>
    </message>
    <message>
        <source>The first event with another result; double-click to go there</source>
        <translation>Das erste Ereignis mit anderem Ergebnis; Doppelklick führt dorthin</translation>
    </message>
    <message>
        <source>The loss as recorded</source>
        <translation>Der Loss, wie er aufgezeichnet ist</translation>
    </message>
    <message>
        <source>The part of the state that was restored</source>
        <translation>Der Teil des Zustands, der wiederhergestellt wurde</translation>
    </message>
    <message>
        <source>ULPs Apart</source>
        <translation>ULPs Unterschied</translation>
    </message>
    <message>
        <source>Uninterrupted</source>
        <translation>Ununterbrochen</translation>
    </message>
    <message>
        <source>Weights Only</source>
        <translation>Nur Gewichte</translation>
    </message>
    <message>
        <source>With the parameters only</source>
        <translation>Mit den Parametern allein</translation>
    </message>
    <message>
        <source>With the whole state</source>
        <translation>Mit dem ganzen Zustand</translation>
    </message>
    <message>
        <source>half-way</source>
        <translation>zur Hälfte</translation>
    </message>
    <message>
        <source>the iteration half-way through the run</source>
        <translation>die Iteration auf halbem Weg durch den Lauf</translation>
    </message>
</context>
<context>
    <name>ScriptDialog</name>
    <message>
        <source>&amp;Save As…</source>
        <translation>Speichern &amp;unter…</translation>
    </message>
    <message>
        <source>C&amp;opy</source>
        <translation>K&amp;opieren</translation>
    </message>
</context>
<context>
    <name>ScriptRecorder</name>
    <message>
        <source>check its arguments, and whether it came to its loop</source>
        <translation>prüfen Sie seine Argumente, und ob es zu seiner Schleife gekommen ist</translation>
    </message>
    <message>
        <source>choose a Python that has PyTorch, or, without PyTorch, use --stand-in</source>
        <translation>wählen Sie ein Python, das PyTorch hat, oder benutzen Sie ohne PyTorch --stand-in</translation>
    </message>
    <message>
        <source>no training was seen in {0}</source>
        <translation>in {0} wurde kein Training gesehen</translation>
    </message>
    <message>
        <source>no training was seen: {0} did not import torch</source>
        <translation>es wurde kein Training gesehen: {0} hat torch nicht importiert</translation>
    </message>
    <message>
        <source>nothing of it can be recovered after a crash: {0}</source>
        <translation>nach einem Absturz lässt sich nichts davon wiederherstellen: {0}</translation>
    </message>
    <message>
        <source>record the script</source>
        <translation>das Skript aufzuzeichnen</translation>
    </message>
    <message>
        <source>record the script that trains the model</source>
        <translation>zeichnen Sie das Skript auf, das das Modell trainiert</translation>
    </message>
    <message>
        <source>run it in a terminal, and look at the traceback</source>
        <translation>führen Sie es in einem Terminal aus, und sehen Sie sich den Traceback an</translation>
    </message>
    <message>
        <source>{0} ended with an error before any training: {1}</source>
        <translation>{0} endete vor jedem Training mit einem Fehler: {1}</translation>
    </message>
</context>
<context>
    <name>ScriptRunDialog</name>
    <message>
        <source>&amp;Arguments:</source>
        <translation>&amp;Argumente:</translation>
    </message>
    <message>
        <source>&amp;Folder:</source>
        <translation>&amp;Ordner:</translation>
    </message>
    <message>
        <source>&amp;Look at It Only</source>
        <translation>Nur an&amp;sehen</translation>
    </message>
    <message>
        <source>&amp;Python:</source>
        <translation>&amp;Python:</translation>
    </message>
    <message>
        <source>Browse for {0}</source>
        <translation>{0} suchen</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>Durchsuchen…</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Hold the script before its first operation</source>
        <translation>Das Skript vor seiner ersten Operation anhalten</translation>
    </message>
    <message>
        <source>Python</source>
        <translation>Python</translation>
    </message>
    <message>
        <source>Run and &amp;Debug</source>
        <translation>Ausführen und &amp;debuggen</translation>
    </message>
    <message>
        <source>Run and &amp;Record</source>
        <translation>Ausführen und auf&amp;zeichnen</translation>
    </message>
    <message>
        <source>Run the script to its end, and open the recording</source>
        <translation>Das Skript bis zum Ende ausführen und die Aufzeichnung öffnen</translation>
    </message>
    <message>
        <source>Run {0}</source>
        <translation>{0} ausführen</translation>
    </message>
    <message>
        <source>Script:</source>
        <translation>Skript:</translation>
    </message>
    <message>
        <source>Show the file without running it</source>
        <translation>Die Datei zeigen, ohne sie auszuführen</translation>
    </message>
    <message>
        <source>This runs the file with your rights. GradStep cannot make a stranger's script safe.</source>
        <translation>Dies führt die Datei mit Ihren Rechten aus. GradStep kann das Skript eines Fremden nicht sicher machen.</translation>
    </message>
    <message>
        <source>You have not run this version of the file before: look at it first.</source>
        <translation>Sie haben diese Fassung der Datei noch nicht ausgeführt: Sehen Sie sie sich zuerst an.</translation>
    </message>
    <message>
        <source>You have run this version of the file before.</source>
        <translation>Sie haben diese Fassung der Datei schon ausgeführt.</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
</context>
<context>
    <name>ScriptRunDialogController</name>
    <message>
        <source>&amp;Open</source>
        <translation>Ö&amp;ffnen</translation>
    </message>
    <message>
        <source>Recorded {0} of {1}</source>
        <translation>{0} von {1} aufgezeichnet</translation>
    </message>
    <message>
        <source>The arguments cannot be read: {0}</source>
        <translation>Die Argumente lassen sich nicht lesen: {0}</translation>
    </message>
    <message>
        <source>The file has changed since this dialog was opened.</source>
        <translation>Die Datei hat sich geändert, seit dieser Dialog geöffnet wurde.</translation>
    </message>
    <message>
        <source>There is no Python at {0}</source>
        <translation>Unter {0} gibt es kein Python</translation>
    </message>
    <message>
        <source>There is no folder {0}</source>
        <translation>Es gibt keinen Ordner {0}</translation>
    </message>
    <message>
        <source>check the path</source>
        <translation>prüfen Sie den Pfad</translation>
    </message>
    <message>
        <source>{0} cannot be read: {1}</source>
        <translation>{0} lässt sich nicht lesen: {1}</translation>
    </message>
    <message>
        <source>{0} event</source>
        <translation>{0} Ereignis</translation>
    </message>
    <message>
        <source>{0} events</source>
        <translation>{0} Ereignisse</translation>
    </message>
    <message>
        <source>{0} was not run.</source>
        <translation>{0} wurde nicht ausgeführt.</translation>
    </message>
</context>
<context>
    <name>SentenceBar</name>
    <message>
        <source>Leaves alone</source>
        <translation>Lässt unverändert</translation>
    </message>
    <message>
        <source>List what the last operation read, what it wrote, and what it left alone</source>
        <translation>Auflisten, was die letzte Operation gelesen, geschrieben und unverändert gelassen hat</translation>
    </message>
    <message>
        <source>Reads</source>
        <translation>Liest</translation>
    </message>
    <message>
        <source>What does it read and write?</source>
        <translation>Was wurde gelesen und geschrieben?</translation>
    </message>
    <message>
        <source>What just happened</source>
        <translation>Was gerade geschehen ist</translation>
    </message>
    <message>
        <source>Writes</source>
        <translation>Schreibt</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
    <message>
        <source>{name}, event {index}</source>
        <translation>{name}, Ereignis {index}</translation>
    </message>
</context>
<context>
    <name>SentenceToolBar</name>
    <message>
        <source>What Just Happened</source>
        <translation>Was gerade geschehen ist</translation>
    </message>
</context>
<context>
    <name>SetPage</name>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>currently {value}</source>
        <translation>zurzeit {value}</translation>
    </message>
    <message>
        <source>to</source>
        <translation>auf</translation>
    </message>
</context>
<context>
    <name>SkipPage</name>
    <message>
        <source>First event to skip</source>
        <translation>Erstes zu überspringendes Ereignis</translation>
    </message>
    <message>
        <source>Last event to skip</source>
        <translation>Letztes zu überspringendes Ereignis</translation>
    </message>
    <message>
        <source>Operations to skip</source>
        <translation>Zu überspringende Operationen</translation>
    </message>
    <message>
        <source>all operations</source>
        <translation>alle Operationen</translation>
    </message>
    <message>
        <source>to</source>
        <translation>bis</translation>
    </message>
    <message>
        <source>{0} event</source>
        <translation>{0} Ereignis</translation>
    </message>
    <message>
        <source>{0} events</source>
        <translation>{0} Ereignisse</translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message>
        <source>At the end</source>
        <translation>Am Ende</translation>
    </message>
    <message>
        <source>Batch of the latest Forward</source>
        <translation>Batch des letzten Forward</translation>
    </message>
    <message>
        <source>Comparing…</source>
        <translation>Wird verglichen…</translation>
    </message>
    <message>
        <source>Complete iterations</source>
        <translation>Abgeschlossene Iterationen</translation>
    </message>
    <message>
        <source>Debugging {0}</source>
        <translation>{0} wird debuggt</translation>
    </message>
    <message>
        <source>Epoch {epoch}, batch {number} of {count}</source>
        <translation>Epoche {epoch}, Batch {number} von {count}</translation>
    </message>
    <message>
        <source>Event {index} of {count}</source>
        <translation>Ereignis {index} von {count}</translation>
    </message>
    <message>
        <source>Inside {name}, micro-step {number}</source>
        <translation>In {name}, Mikroschritt {number}</translation>
    </message>
    <message>
        <source>Iteration {number}</source>
        <translation>Iteration {number}</translation>
    </message>
    <message>
        <source>Loss of the latest Forward</source>
        <translation>Loss des letzten Forward</translation>
    </message>
    <message>
        <source>Loss {value}</source>
        <translation>Loss {value}</translation>
    </message>
    <message>
        <source>Next: {name}</source>
        <translation>Als Nächstes: {name}</translation>
    </message>
    <message>
        <source>No program</source>
        <translation>Kein Programm</translation>
    </message>
    <message>
        <source>None</source>
        <translation>None</translation>
    </message>
    <message>
        <source>Opening {share} %</source>
        <translation>{share} % geöffnet</translation>
    </message>
    <message>
        <source>Opening…</source>
        <translation>Wird geöffnet…</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Present event</source>
        <translation>Gegenwärtiges Ereignis</translation>
    </message>
    <message>
        <source>Recorded script</source>
        <translation>Aufgezeichnetes Skript</translation>
    </message>
    <message>
        <source>Recording of {0}</source>
        <translation>Aufzeichnung von {0}</translation>
    </message>
    <message>
        <source>Recording: {0} event</source>
        <translation>Aufzeichnung: {0} Ereignis</translation>
    </message>
    <message>
        <source>Recording: {0} events</source>
        <translation>Aufzeichnung: {0} Ereignisse</translation>
    </message>
    <message>
        <source>Recording…</source>
        <translation>Wird aufgezeichnet…</translation>
    </message>
    <message>
        <source>Replaying {done} of {total}</source>
        <translation>{done} von {total} abgespielt</translation>
    </message>
    <message>
        <source>Replaying…</source>
        <translation>Wird abgespielt…</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Saving {share} %</source>
        <translation>{share} % gespeichert</translation>
    </message>
    <message>
        <source>Saving…</source>
        <translation>Wird gespeichert…</translation>
    </message>
    <message>
        <source>Show the findings in this loop</source>
        <translation>Die Befunde in dieser Schleife zeigen</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>What Over (F10) does next</source>
        <translation>Was „Darüber“ (F10) als Nächstes tut</translation>
    </message>
    <message>
        <source>Why the run stopped</source>
        <translation>Warum der Lauf angehalten hat</translation>
    </message>
    <message>
        <source>{0} mistake found</source>
        <translation>{0} Fehler gefunden</translation>
    </message>
    <message>
        <source>{0} mistake shown by the lesson</source>
        <translation>{0} Fehler, den die Lektion zeigt</translation>
    </message>
    <message>
        <source>{0} mistakes found</source>
        <translation>{0} Fehler gefunden</translation>
    </message>
    <message>
        <source>{0} mistakes shown by the lesson</source>
        <translation>{0} Fehler, die die Lektion zeigt</translation>
    </message>
    <message>
        <source>{0} question</source>
        <translation>{0} Frage</translation>
    </message>
    <message>
        <source>{0} questions</source>
        <translation>{0} Fragen</translation>
    </message>
    <message>
        <source>{0} suspicion</source>
        <translation>{0} Verdacht</translation>
    </message>
    <message>
        <source>{0} suspicions</source>
        <translation>{0} Verdachtsfälle</translation>
    </message>
    <message>
        <source>{0}, {1}</source>
        <translation>{0}, {1}</translation>
    </message>
    <message>
        <source>{0}: the script ended with status {1}</source>
        <translation>{0}: das Skript endete mit Status {1}</translation>
    </message>
    <message>
        <source>{0}: the script ended with status {1}: {2}</source>
        <translation>{0}: das Skript endete mit Status {1}: {2}</translation>
    </message>
    <message>
        <source>{0}: {1}</source>
        <translation>{0}: {1}</translation>
    </message>
    <message>
        <source>■ {why}</source>
        <translation>■ {why}</translation>
    </message>
</context>
<context>
    <name>StepCard</name>
    <message>
        <source>Continue</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>Do it from here</source>
        <translation>Von hier aus tun</translation>
    </message>
    <message>
        <source>Follow the remedy</source>
        <translation>Der Abhilfe folgen</translation>
    </message>
    <message>
        <source>Go to the new branch</source>
        <translation>Zum neuen Zweig gehen</translation>
    </message>
    <message>
        <source>Press One Iteration</source>
        <translation>Drücken: Eine Iteration</translation>
    </message>
    <message>
        <source>Press {title}</source>
        <translation>Drücken: {title}</translation>
    </message>
    <message>
        <source>Run {0} iterations</source>
        <translation>{0} Iterationen ausführen</translation>
    </message>
    <message>
        <source>Set {title}</source>
        <translation>Setzen: {title}</translation>
    </message>
    <message>
        <source>Try the What If</source>
        <translation>„Was wäre, wenn“ versuchen</translation>
    </message>
    <message>
        <source>{ask}

Your answer: **{given}**</source>
        <translation>{ask}

Ihre Antwort: **{given}**</translation>
    </message>
</context>
<context>
    <name>StepLine</name>
    <message>
        <source>done</source>
        <translation>erledigt</translation>
    </message>
    <message>
        <source>to come</source>
        <translation>kommt noch</translation>
    </message>
</context>
<context>
    <name>SymbolList</name>
    <message>
        <source>Symbols of the formulas</source>
        <translation>Symbole der Formeln</translation>
    </message>
</context>
<context>
    <name>SymbolTable</name>
    <message>
        <source>Inputs and outputs of the micro-step</source>
        <translation>Ein- und Ausgaben des Mikroschritts</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Norm</source>
        <translation>Norm</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>input {0}</source>
        <translation>Eingabe {0}</translation>
    </message>
    <message>
        <source>output {0}</source>
        <translation>Ausgabe {0}</translation>
    </message>
</context>
<context>
    <name>Tab</name>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>Graph</translation>
    </message>
    <message>
        <source>Landscape</source>
        <translation>Landschaft</translation>
    </message>
    <message>
        <source>Plots</source>
        <translation>Plots</translation>
    </message>
    <message>
        <source>The curves of losses, gradients and parameters</source>
        <translation>Die Kurven von Losses, Gradienten und Parametern</translation>
    </message>
    <message>
        <source>The data, and what the model predicts for them</source>
        <translation>Die Daten, und was das Modell für sie vorhersagt</translation>
    </message>
    <message>
        <source>The loss over two directions of the parameters</source>
        <translation>Der Loss über zwei Richtungen der Parameter</translation>
    </message>
    <message>
        <source>The recorded computation graph of a loss</source>
        <translation>Der aufgezeichnete Berechnungsgraph eines Loss</translation>
    </message>
</context>
<context>
    <name>TensorDetails</name>
    <message>
        <source>Loading {0}…</source>
        <translation>{0} wird geladen…</translation>
    </message>
    <message>
        <source>Select a tensor above to see its values.</source>
        <translation>Wählen Sie oben einen Tensor aus, um seine Werte zu sehen.</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>{0} is None, which is not zero: no Backward has written it since the tensor was created or Zero Grad cleared it.</source>
        <translation>{0} ist None, und das ist nicht null: Kein Backward hat es geschrieben, seit der Tensor angelegt wurde oder Zero Grad es gelöscht hat.</translation>
    </message>
    <message>
        <source>{0} was not recorded here: the recording has it in every few iterations.</source>
        <translation>{0} wurde hier nicht aufgezeichnet: Die Aufzeichnung hat es nur alle paar Iterationen.</translation>
    </message>
</context>
<context>
    <name>TensorsView</name>
    <message>
        <source>Filter tensors by name</source>
        <translation>Tensoren nach Namen filtern</translation>
    </message>
    <message>
        <source>Kept by {0}</source>
        <translation>Aufbewahrt von {0}</translation>
    </message>
    <message>
        <source>No tensor has “{0}” in its name.</source>
        <translation>Kein Tensor hat „{0}“ in seinem Namen.</translation>
    </message>
    <message>
        <source>Open a program to see its tensors here.</source>
        <translation>Öffnen Sie ein Programm, um hier seine Tensoren zu sehen.</translation>
    </message>
    <message>
        <source>Outside of modules</source>
        <translation>Außerhalb von Modulen</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>This program has no tensors.</source>
        <translation>Dieses Programm hat keine Tensoren.</translation>
    </message>
    <message>
        <source>norm {0}</source>
        <translation>Norm {0}</translation>
    </message>
    <message>
        <source>nothing stored</source>
        <translation>nichts gespeichert</translation>
    </message>
    <message>
        <source>{0} is None, which is not zero: there is no gradient</source>
        <translation>{0} ist None, und das ist nicht null: Es gibt keinen Gradienten</translation>
    </message>
    <message>
        <source>{0} stores nothing for {1}</source>
        <translation>{0} speichert nichts für {1}</translation>
    </message>
    <message>
        <source>{0}, buffer</source>
        <translation>{0}, Buffer</translation>
    </message>
    <message>
        <source>{0}, eval</source>
        <translation>{0}, eval</translation>
    </message>
    <message>
        <source>{0}, frozen</source>
        <translation>{0}, eingefroren</translation>
    </message>
    <message>
        <source>{0}, just changed by {1}</source>
        <translation>{0}, gerade geändert von {1}</translation>
    </message>
    <message>
        <source>{0}, no gradient wanted</source>
        <translation>{0}, kein Gradient verlangt</translation>
    </message>
    <message>
        <source>⚠ no optimizer</source>
        <translation>⚠ kein Optimizer</translation>
    </message>
</context>
<context>
    <name>TimelineBar</name>
    <message>
        <source>iteration 0</source>
        <translation>Iteration 0</translation>
    </message>
</context>
<context>
    <name>TimelineView</name>
    <message>
        <source>Event {index}</source>
        <translation>Ereignis {index}</translation>
    </message>
    <message>
        <source>Left and Right move one event, with Ctrl one iteration; Home and End go to the ends.</source>
        <translation>Links und Rechts gehen ein Ereignis weiter, mit Strg eine Iteration; Pos1 und Ende führen an die Enden.</translation>
    </message>
    <message>
        <source>Start, before the first event</source>
        <translation>Anfang, vor dem ersten Ereignis</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Zeitleiste</translation>
    </message>
    <message>
        <source>failed: {why}</source>
        <translation>fehlgeschlagen: {why}</translation>
    </message>
    <message>
        <source>iteration {number}</source>
        <translation>Iteration {number}</translation>
    </message>
    <message>
        <source>loss {value}</source>
        <translation>Loss {value}</translation>
    </message>
    <message>
        <source>{branch} forks here</source>
        <translation>hier zweigt {branch} ab</translation>
    </message>
</context>
<context>
    <name>ValueDialog</name>
    <message>
        <source>&amp;Apply</source>
        <translation>&amp;Anwenden</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
</context>
<context>
    <name>ValueField</name>
    <message>
        <source>enter {0} numbers, such as {1}</source>
        <translation>geben Sie {0} Zahlen ein, etwa {1}</translation>
    </message>
    <message>
        <source>“{0}” is not a finite number</source>
        <translation>„{0}“ ist keine endliche Zahl</translation>
    </message>
    <message>
        <source>“{0}” is not a number; enter one such as 0.01 or 1e-3</source>
        <translation>„{0}“ ist keine Zahl; geben Sie eine ein, etwa 0.01 oder 1e-3</translation>
    </message>
</context>
<context>
    <name>VariableRequests</name>
    <message>
        <source>read variables</source>
        <translation>Variablen zu lesen</translation>
    </message>
    <message>
        <source>read {0}</source>
        <translation>{0} zu lesen</translation>
    </message>
</context>
<context>
    <name>VariableTree</name>
    <message>
        <source>Variables</source>
        <translation>Variablen</translation>
    </message>
</context>
<context>
    <name>VariablesView</name>
    <message>
        <source>Stack</source>
        <translation>Stack</translation>
    </message>
    <message>
        <source>The calls that led here, the innermost first</source>
        <translation>Die Aufrufe, die hierher führten, der innerste zuerst</translation>
    </message>
    <message>
        <source>The script runs. Its variables are shown where it is held.</source>
        <translation>Das Skript läuft. Seine Variablen werden gezeigt, wo es angehalten ist.</translation>
    </message>
    <message>
        <source>The variables of a script are shown here, where it is held.</source>
        <translation>Die Variablen eines Skripts werden hier gezeigt, wo es angehalten ist.</translation>
    </message>
    <message>
        <source>{0}, {1}:{2}</source>
        <translation>{0}, {1}:{2}</translation>
    </message>
</context>
<context>
    <name>Verdict</name>
    <message>
        <source>It is: {truth}</source>
        <translation>Es ist: {truth}</translation>
    </message>
    <message>
        <source>✓ Right: {truth}</source>
        <translation>✓ Richtig: {truth}</translation>
    </message>
    <message>
        <source>✗ You answered {given}. Right: {truth}</source>
        <translation>✗ Ihre Antwort: {given}. Richtig: {truth}</translation>
    </message>
</context>
<context>
    <name>Watches</name>
    <message>
        <source>changed by norm {0}</source>
        <translation>geändert um Norm {0}</translation>
    </message>
    <message>
        <source>from {0}</source>
        <translation>von {0}</translation>
    </message>
    <message>
        <source>no change</source>
        <translation>keine Änderung</translation>
    </message>
</context>
<context>
    <name>WatchesView</name>
    <message>
        <source>A watch shows the current value of an expression, and how the last event changed it.</source>
        <translation>Eine Überwachung zeigt den aktuellen Wert eines Ausdrucks, und wie ihn das letzte Ereignis geändert hat.</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>Expression</source>
        <translation>Ausdruck</translation>
    </message>
    <message>
        <source>Expression to watch</source>
        <translation>Zu überwachender Ausdruck</translation>
    </message>
    <message>
        <source>New watch, such as  norm(grad("model.0.weight"))  or  loss</source>
        <translation>Neue Überwachung, etwa  norm(grad("model.0.weight"))  oder  loss</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>Watches</source>
        <translation>Überwachungen</translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>&amp;Write Program…</source>
        <translation>Programm &amp;schreiben…</translation>
    </message>
    <message>
        <source>A debugger for gradient descent: press Zero Grad, Forward, Backward and Step in any order, or step through your own PyTorch script, and see what each one reads and writes.</source>
        <translation>Ein Debugger für den Gradientenabstieg: Drücken Sie Zero Grad, Forward, Backward und Step in beliebiger Reihenfolge, oder gehen Sie Ihr eigenes PyTorch-Skript Schritt für Schritt durch, und sehen Sie, was jedes davon liest und schreibt.</translation>
    </message>
    <message>
        <source>First &amp;Steps</source>
        <translation>&amp;Erste Schritte</translation>
    </message>
    <message>
        <source>Layout:</source>
        <translation>Layout:</translation>
    </message>
    <message>
        <source>O&amp;pen File…</source>
        <translation>&amp;Datei öffnen…</translation>
    </message>
    <message>
        <source>Recent Files</source>
        <translation>Zuletzt geöffnet</translation>
    </message>
    <message>
        <source>Recent files</source>
        <translation>Zuletzt geöffnete Dateien</translation>
    </message>
    <message>
        <source>Run S&amp;cript…</source>
        <translation>S&amp;kript ausführen…</translation>
    </message>
    <message>
        <source>Start with a Lesson</source>
        <translation>Mit einer Lektion beginnen</translation>
    </message>
</context>
<context>
    <name>WhatIfDialog</name>
    <message>
        <source>&amp;Add a Change</source>
        <translation>Änderung &amp;hinzufügen</translation>
    </message>
    <message>
        <source>&amp;From event:</source>
        <translation>&amp;Ab Ereignis:</translation>
    </message>
    <message>
        <source>&amp;Replay</source>
        <translation>&amp;Abspielen</translation>
    </message>
    <message>
        <source>Branch &amp;name:</source>
        <translation>&amp;Name des Zweigs:</translation>
    </message>
    <message>
        <source>Branch name</source>
        <translation>Name des Zweigs</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>From event</source>
        <translation>Ab Ereignis</translation>
    </message>
    <message>
        <source>The events from here on are replayed on a new branch, with the changes below. The current branch stays as it is. Values are set before the first replayed event.</source>
        <translation>Die Ereignisse ab hier werden mit den Änderungen unten auf einem neuen Zweig abgespielt. Der aktuelle Zweig bleibt, wie er ist. Werte werden vor dem ersten abgespielten Ereignis gesetzt.</translation>
    </message>
    <message>
        <source>What If</source>
        <translation>Was wäre, wenn</translation>
    </message>
    <message>
        <source>named after the changes</source>
        <translation>nach den Änderungen benannt</translation>
    </message>
</context>
<context>
    <name>When</name>
    <message>
        <source>after {0}</source>
        <translation>nach {0}</translation>
    </message>
    <message>
        <source>any operation</source>
        <translation>jeder Operation</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>automatisch</translation>
    </message>
    <message>
        <source>before {0}</source>
        <translation>vor {0}</translation>
    </message>
</context>
<context>
    <name>WindowCommands</name>
    <message>
        <source>&lt;h3&gt;GradStep {version}&lt;/h3&gt;&lt;p&gt;A debugger for gradient descent: pause the training loop, and see what each call reads and writes.&lt;/p&gt;&lt;p&gt;MIT licence. Qt {qt}.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;GradStep {version}&lt;/h3&gt;&lt;p&gt;Ein Debugger für den Gradientenabstieg: Halten Sie die Trainingsschleife an, und sehen Sie, was jeder Aufruf liest und schreibt.&lt;/p&gt;&lt;p&gt;MIT-Lizenz. Qt {qt}.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>About GradStep</source>
        <translation>Über GradStep</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>Meldungen</translation>
    </message>
    <message>
        <source>No messages yet</source>
        <translation>Noch keine Meldungen</translation>
    </message>
    <message>
        <source>Show {name}</source>
        <translation>{name} zeigen</translation>
    </message>
    <message>
        <source>The language changes when GradStep is started again</source>
        <translation>Die Sprache ändert sich, wenn GradStep neu gestartet wird</translation>
    </message>
</context>
<context>
    <name>_Gutter</name>
    <message>
        <source>err: printed on standard error</source>
        <translation>err: auf dem Standardfehlerkanal ausgegeben</translation>
    </message>
</context>
<context>
    <name>_InputField</name>
    <message>
        <source>Input for the script</source>
        <translation>Eingabe für das Skript</translation>
    </message>
</context>
<context>
    <name>_Items</name>
    <message>
        <source>Lessons</source>
        <translation>Lektionen</translation>
    </message>
</context>
<context>
    <name>_Picker</name>
    <message>
        <source>From Loop: {name}</source>
        <translation>Aus der Schleife: {name}</translation>
    </message>
</context>
<context>
    <name>_TensorValues</name>
    <message>
        <source>It has no values in memory.</source>
        <translation>Er hat keine Werte im Speicher.</translation>
    </message>
    <message>
        <source>Loading {0}…</source>
        <translation>{0} wird geladen…</translation>
    </message>
    <message>
        <source>No code of the script is run for its text.</source>
        <translation>Für seinen Text wird kein Code des Skripts ausgeführt.</translation>
    </message>
    <message>
        <source>Select a variable above to see its values.</source>
        <translation>Wählen Sie oben eine Variable aus, um ihre Werte zu sehen.</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>first {0} of {1} elements: {2}</source>
        <translation>erste {0} von {1} Elementen: {2}</translation>
    </message>
    <message>
        <source>{0} Open it to see what it holds.</source>
        <translation>{0} Öffnen Sie ihn, um zu sehen, was er enthält.</translation>
    </message>
</context>
<context>
    <name>_VariableRows</name>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
</context>
<context>
    <name>_Warning</name>
    <message>
        <source>&amp;Undo It</source>
        <translation>&amp;Rückgängig</translation>
    </message>
</context>
<context>
    <name>words</name>
    <message>
        <source>Add Loss</source>
        <translation>Loss hinzufügen</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>Backward</translation>
    </message>
    <message>
        <source>Call</source>
        <translation>Aufruf</translation>
    </message>
    <message>
        <source>Clear by Hand</source>
        <translation>Von Hand gelöscht</translation>
    </message>
    <message>
        <source>Clip Grad Norm</source>
        <translation>Clip Grad Norm</translation>
    </message>
    <message>
        <source>Clip Grad Value</source>
        <translation>Clip Grad Value</translation>
    </message>
    <message>
        <source>Edit Loop</source>
        <translation>Schleife ändern</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>Forward</translation>
    </message>
    <message>
        <source>Freeze</source>
        <translation>Einfrieren</translation>
    </message>
    <message>
        <source>Gradient by Hand</source>
        <translation>Gradient von Hand</translation>
    </message>
    <message>
        <source>Load State</source>
        <translation>Zustand laden</translation>
    </message>
    <message>
        <source>Load State Dict</source>
        <translation>State Dict laden</translation>
    </message>
    <message>
        <source>New Optimizer</source>
        <translation>Neuer Optimizer</translation>
    </message>
    <message>
        <source>New Tensors</source>
        <translation>Neue Tensoren</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Rebuild Module</source>
        <translation>Modul neu bauen</translation>
    </message>
    <message>
        <source>Replace Optimizer</source>
        <translation>Optimizer ersetzen</translation>
    </message>
    <message>
        <source>Scaler Step</source>
        <translation>Scaler Step</translation>
    </message>
    <message>
        <source>Scaler Update</source>
        <translation>Scaler Update</translation>
    </message>
    <message>
        <source>Scheduler Step</source>
        <translation>Scheduler Step</translation>
    </message>
    <message>
        <source>Script</source>
        <translation>Skript</translation>
    </message>
    <message>
        <source>Set</source>
        <translation>Setzen</translation>
    </message>
    <message>
        <source>Set Batch Size</source>
        <translation>Batch-Größe setzen</translation>
    </message>
    <message>
        <source>Set Mode</source>
        <translation>Modus setzen</translation>
    </message>
    <message>
        <source>Set Value</source>
        <translation>Wert setzen</translation>
    </message>
    <message>
        <source>Set by Hand</source>
        <translation>Von Hand gesetzt</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>Überspringen</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Step</translation>
    </message>
    <message>
        <source>Thaw</source>
        <translation>Auftauen</translation>
    </message>
    <message>
        <source>Unscale Gradients</source>
        <translation>Gradienten zurückskalieren</translation>
    </message>
    <message>
        <source>Update by Hand</source>
        <translation>Von Hand geändert</translation>
    </message>
    <message>
        <source>Zero Grad</source>
        <translation>Zero Grad</translation>
    </message>
    <message>
        <source>all modules</source>
        <translation>alle Module</translation>
    </message>
    <message>
        <source>all rows</source>
        <translation>alle Zeilen</translation>
    </message>
    <message>
        <source>autograd.grad</source>
        <translation>autograd.grad</translation>
    </message>
    <message>
        <source>eval</source>
        <translation>eval</translation>
    </message>
    <message>
        <source>from event {0}</source>
        <translation>ab Ereignis {0}</translation>
    </message>
    <message>
        <source>norm {0}</source>
        <translation>Norm {0}</translation>
    </message>
    <message>
        <source>norm {0}, mean {1}</source>
        <translation>Norm {0}, Mittel {1}</translation>
    </message>
    <message>
        <source>norm {0}, mean {1}, min {2}, max {3}</source>
        <translation>Norm {0}, Mittel {1}, min {2}, max {3}</translation>
    </message>
    <message>
        <source>not recorded here</source>
        <translation>hier nicht aufgezeichnet</translation>
    </message>
    <message>
        <source>train</source>
        <translation>train</translation>
    </message>
    <message>
        <source>{0} = {1} in {2}</source>
        <translation>{0} = {1} in {2}</translation>
    </message>
    <message>
        <source>{0} to norm {1}</source>
        <translation>{0} auf Norm {1}</translation>
    </message>
    <message>
        <source>{0} to {1}</source>
        <translation>{0} auf {1}</translation>
    </message>
    <message>
        <source>{0} to ±{1}</source>
        <translation>{0} auf ±{1}</translation>
    </message>
    <message>
        <source>{0} with {1}</source>
        <translation>{0} mit {1}</translation>
    </message>
    <message>
        <source>{0} with {1} on the current tensors</source>
        <translation>{0} mit {1} auf den aktuellen Tensoren</translation>
    </message>
    <message>
        <source>{0}, current batch</source>
        <translation>{0}, aktueller Batch</translation>
    </message>
    <message>
        <source>{0}, graph kept</source>
        <translation>{0}, Graph behalten</translation>
    </message>
    <message>
        <source>{0}, same batch</source>
        <translation>{0}, derselbe Batch</translation>
    </message>
    <message>
        <source>{0}, to zeros</source>
        <translation>{0}, auf Nullen</translation>
    </message>
    <message>
        <source>{0}, {1} only</source>
        <translation>{0}, nur {1}</translation>
    </message>
    <message>
        <source>{name}, iteration {number}</source>
        <translation>{name}, Iteration {number}</translation>
    </message>
</context>
</TS>
