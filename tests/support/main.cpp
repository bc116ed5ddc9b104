// SPDX-License-Identifier: Apache-2.0
// Every test program is a SystemC program whose simulation is GoogleTest.
#include <gtest/gtest.h>

#include <systemc>

int sc_main(int argc, char** argv) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
    sc_core::sc_report_handler::set_actions(sc_core::SC_ID_IEEE_1666_DEPRECATION_,
                                            sc_core::SC_DO_NOTHING);
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
