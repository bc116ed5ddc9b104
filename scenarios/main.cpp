// SPDX-License-Identifier: Apache-2.0
// The program. SystemC's own main would print its banner; this one does not.
#include <cstdlib>
#include <systemc>

#include "scenarios/cli.h"

int sc_main(int argc, char** argv) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    sc_core::sc_report_handler::set_actions(sc_core::SC_ID_IEEE_1666_DEPRECATION_,
                                            sc_core::SC_DO_NOTHING);
    return nicsim::scenarios::command_line(argc, argv);
}

int main(int argc, char** argv) {
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
    return sc_core::sc_elab_and_sim(argc, argv);
}
